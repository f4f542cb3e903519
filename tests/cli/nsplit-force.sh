#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Without -f, an existing output is refused and not changed; -f overwrites it completely.  Members are private: mode 0600,
# with any umask, and for existing files.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 20000 core
head -c 1000000 /dev/zero | tr '\0' x > old
ln -s old link
uuid=123e4567-e89b-42d3-a456-426614174000
SOURCE_DATE_EPOCH=1000000000
export SOURCE_DATE_EPOCH

expect_status 0 nsplit -q -j1 --uuid=$uuid core fresh
expect_status 0 nsplit -q -j1 --uuid=$uuid -f core old
same fresh old
cp core other
head -c 1000 other > core
expect_status 0 nsplit -q -j1 --uuid=$uuid --overwrite-dumps core link
[ -h link ] || fail "the symbolic link was replaced"
expect_status 0 nsplit -q -j1 --uuid=$uuid --overwrite-dumps core fresh
same fresh old
# It does no harm if the file does not exist.
expect_status 0 nsplit -q -j1 --uuid=$uuid -f core new
same fresh new

# --- without -f

unset SOURCE_DATE_EPOCH
mkdir d
cd d
echo data > core
echo precious > old
ln -s old link
ln -s nothing dangling
mkdir directory
chmod 644 old

for output in old ./old link; do
	expect_status 2 nsplit core new "$output"
	expect_err "nsplit: $output: already exists; use -f to overwrite"
	absent new
done
expect_status 2 nsplit core new directory
expect_err "nsplit: directory: is a directory; an output must be a file or a device"
expect_status 2 nsplit -f core new directory
expect_err "nsplit: directory: is a directory; an output must be a file or a device"
expect_status 2 nsplit -f core new dangling
expect_err "nsplit: dangling: is a dangling symbolic link"
absent new nothing
[ "$(cat old)" = precious ] || fail "what existed was changed"
[ "$(stat -c %a old)" = 644 ] || fail "the mode of what existed was changed"

# --- modes

for mask in 000 022 077 0777; do
	(umask $mask && nsplit -q core "new-$mask") || fail "umask $mask"
	[ "$(stat -c %a "new-$mask")" = 600 ] ||
		fail "umask $mask gives $(stat -c %a "new-$mask")"
done
chmod 666 old
expect_status 0 nsplit -q --overwrite-dumps core old
[ "$(stat -c %a old)" = 600 ] || fail "an old file keeps mode $(stat -c %a old)"

# So are the files that commands create, unless the commands set a mode.
(
	umask 022
	expect_status 0 nsplit -q '--filter=cat > "$FILE"' core '|cat > c0' '|umask 022; cat > c1' f
)
[ "$(stat -c %a c0 c1 f | tr '\n' ' ')" = '600 644 600 ' ] || fail "$(stat -c '%n %a' c0 c1 f)"
