#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A file of another user is not used as output, unless requested: its owner could read the dump.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_root "giving files away"
user=$(awk -F : '$3 == 65534 { print " (" $1 ")"; exit }' /etc/passwd)

# refused KIND COMMAND...: the output is refused and not written
refused() {
	kind=$1
	shift
	expect_status 2 "$@"
	expect_err "nsplit: planted: is a $kind owned by user 65534$user, who could read the dump; use --any-owner to write to it"
	absent new
}

mkfakevmcore -s 100000 core

# A file, which keeps its owner when it is overwritten.
echo planted > planted
chown 65534 planted
for option in -n --check-params -q '--filter=cat > "$FILE"'; do
	refused file nsplit "$option" -f core new planted
done
[ "$(cat planted)" = planted ] || fail "it was written to"
expect_status 2 nsplit core planted
expect_err "nsplit: planted: already exists; use -f to overwrite"
expect_status 0 nsplit -qf --also=planted core new
expect_err "nsplit: planted: is a file owned by user 65534$user, who could read the dump; use --any-owner to write to it; continuing without it"
rm new
expect_status 0 nsplit -qf --any-owner core planted
expect_err ""
expect_status 0 njoin --verify -q planted
printf 'any-owner = yes\nforce = yes\n' > conf
expect_status 0 nsplit -q --config=conf core planted
expect_status 2 nsplit -q --config=conf --no-any-owner core planted

# A symbolic link of another user to our own file.
echo mine > mine
ln -s mine link
refused 'symbolic link' sh -c 'rm planted; ln -s mine planted; chown -h 65534 planted; exec nsplit -qf core new planted'
[ "$(cat mine)" = mine ] || fail "it was written to"
expect_status 0 nsplit -qf core link
rm planted

# A named pipe, which needs no -f.
mkfifo planted
chown 65534 planted
refused 'named pipe' nsplit -q core new planted
refused 'named pipe' nsplit -q '--filter=cat > "$FILE"' core new planted
cat planted > got &
expect_status 0 nsplit -q --any-owner core planted
wait $!
expect_status 0 njoin --verify -q got

# A file whose owner changes between the first and the second check.
rm planted
echo planted > planted
mkfifo pipe
nsplit -f -v core pipe planted 2> err &
nsplit=$!
wait_for still_says $nsplit '^output 1'
chown 65534 planted
cat pipe > got
wait $nsplit || fail "status $?: $(cat err)"
grep -qxF "nsplit: planted: is a file owned by user 65534$user, who could read the dump; use --any-owner to write to it; given up, continuing on 1 output" err ||
	fail "$(cat err)"
[ "$(cat planted)" = planted ] || fail "it was written to"
expect_status 0 njoin --verify -q got
