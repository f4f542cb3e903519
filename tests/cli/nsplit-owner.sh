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
rm planted
echo planted > planted
chown 65534 planted
expect_status 0 nsplit -q --config=conf core planted
expect_status 2 nsplit -q --overwrite-dumps --config=conf --no-any-owner core planted

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

# --- other programs, other options ---------------------------------------------------------

make_core kinds
nsplit -q core member
nsplit -q --format=kdump -c kinds dump
nsplit -q --format=kdump -c kinds - > flat
echo victim > victim
ln -s "$(command -v nsplit)" makedumpfile
PATH=$PWD:$PATH

# planted_refused STATUS OWNED MESSAGE COMMAND...: planted is a file, a symbolic link to ours, or a pipe of user 65534, and
# the command writes to none of them; OWNED is what is said before the message
planted_refused() {
	refused_status=$1 refused_before=$2 refused_after=$3
	shift 3
	for kind in file 'symbolic link' 'named pipe'; do
		rm -f planted
		case $kind in
		file) echo planted > planted ;;
		symbolic*) ln -s victim planted ;;
		*) mkfifo planted ;;
		esac
		chown -h 65534 planted
		expect_status "$refused_status" timeout 60 "$@" < flat
		grep -qxF "$refused_before: is a $kind owned by user 65534$user, $refused_after" err || fail "$*: $(cat err)"
		[ "$kind" != file ] || [ "$(cat planted)" = planted ] || fail "$*: it was written to"
		[ "$(cat victim)" = victim ] || fail "$*: its target was written to"
	done
}

option='who could read the dump; use --any-owner to write to it'
planted_refused 2 'njoin: planted' "$option" njoin -f -o planted member
planted_refused 2 'njoin: planted' "$option" njoin -f --format=elf -o planted member
planted_refused 2 'njoin: planted' "$option" njoin -f --dmesg -o planted kinds
planted_refused 2 'nsplit-bench: planted' "$option" nsplit-bench -q -f fake:1M planted
planted_refused 2 'nsplit-bench: planted' "$option" nsplit-bench -q -f --join-to=planted fake:1M new
planted_refused 2 'mkfakevmcore: planted' "$option" mkfakevmcore -f planted
none='who could read what is written to it'
planted_refused 1 'makedumpfile: planted' "$none" makedumpfile -f -R planted
planted_refused 1 'makedumpfile: planted' "$none" makedumpfile -f --dump-dmesg kinds planted
planted_refused 1 'makedumpfile: planted' "$none" makedumpfile -f -d 31 --split kinds new planted
planted_refused 1 'makedumpfile: planted' "$none" makedumpfile -f -d 31 dump planted
planted_refused 1 'makedumpfile: planted' "$none" makedumpfile -f --reassemble dump dump planted
side='who could read and change it'
planted_refused 2 'nsplit: --stats=planted' "$side" nsplit -q --stats=planted core new
planted_refused 2 "nsplit-bench: --json=planted" "$side" nsplit-bench -q --json=planted fake:1M null:
# A file that was planted after the first look.
rm -f planted new fifo
mkfifo fifo
nsplit -v --stats=planted core new fifo 2> err &
nsplit=$!
wait_for still_says $nsplit '^output 1'
ln -s victim planted
chown -h 65534 planted
cat fifo > /dev/null
wait $nsplit || fail "status $?: $(cat err)"
grep -qxF "nsplit: --stats=planted: is a symbolic link owned by user 65534$user, who could read and change it; the capture is not affected" err ||
	fail "$(cat err)"
[ "$(cat victim)" = victim ] || fail 'its target was written to'

# With the option.
rm -f planted new
ln -s victim planted
chown -h 65534 planted
expect_status 0 njoin -q -f --any-owner -o planted member
same victim core
echo victim > victim
expect_status 0 mkfakevmcore -f --any-owner planted

# What the shell has opened is not checked.
rm -f fifo
mkfifo fifo
chown 65534 fifo
cat fifo > got &
expect_status 0 sh -c 'njoin -q -o /dev/fd/3 member 3> fifo'
wait $!
same got core

