#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A member without its first page and its footer: its records identify the capture.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

uuid=01234567-89ab-4cde-8f01-23456789abcd
mkfakevmcore -s 500000 -p random core
nsplit -q --raw --chunksize=64K --stripe --serial --uuid=$uuid core a b c
nsplit -q --raw --chunksize=64K --stripe --serial core x y
nsplit -q --raw --chunksize=64K --serial --uuid=$uuid core one

# lose MEMBER: copies it without its first page, index and footer
lose() {
	head -c -8192 "$1" > "lost-$1"
	no_superblock "lost-$1"
}

for member in a b c x one; do
	lose $member
done
lost="damaged at byte 0: superblock, and no footer was found;"

# The other members identify the set, in any order.
for order in "lost-a b c" "b lost-a c"; do
	# shellcheck disable=SC2086
	expect_status 3 njoin -q --overwrite-dumps --salvage -o new $order
	expect_err "njoin: lost-a: $lost the records in it (3) belong to set $uuid, as the other members do; its number is unknown"
	same new core
done
# Without --salvage, such a member is an error.
expect_status 1 njoin -q -o none lost-a b c
expect_err "njoin: lost-a: not a member of an nsplit set: no superblock at byte 0"
absent none
# Its missing data is reported, as of any other member.
head -c 8192 lost-a > short
expect_status 3 njoin -q --overwrite-dumps --salvage -o new short b c
grep -qx 'njoin: member 0 of 3 (numbered 0 to 2) is missing' err || fail "$(cat err)"
expect_status 3 njoin -q --overwrite-dumps --salvage -o new lost-a b
grep -qx 'njoin: member 2 of 3 (numbered 0 to 2) is missing; or it is a given member whose number is unknown' err ||
	fail "$(cat err)"
# A member of another set is not used, nor is a file that is not a member.
head -c 300000 /dev/zero > zeros
expect_status 3 njoin -q --overwrite-dumps --salvage -o new a b lost-x zeros c
expect_err "njoin: lost-x: not a member of an nsplit set: no superblock at byte 0
njoin: zeros: not a member of an nsplit set: no superblock at byte 0"
same new core

# It is alone: its records identify the set, and only their ranges are known.
nobody="the size of the source and the number of members are unknown"
expect_status 3 njoin -q --overwrite-dumps --salvage -o new lost-one
expect_err "njoin: lost-one: $lost the records in it (8) belong to set $uuid; $nobody
njoin: the capture ended before the end of the source"
same new core
expect_status 3 njoin -q --overwrite-dumps --salvage -o new lost-a lost-b lost-c
same new core
expect_status 3 njoin --salvage --info lost-one
grep -qx "set: $uuid; nothing else is known, since only records are left" out || fail "$(cat out)"
grep -q '^member with unknown number: lost-one, ' out || fail "$(cat out)"
expect_status 3 njoin --salvage --info --json lost-one
! grep -q 'creator\|"number"' out || fail "$(cat out)"
# --info alone does not read the whole file.
expect_status 1 njoin --info lost-one

# If there are several sets, the first one is used, and the members of the others are reported.
expect_status 3 njoin -q --overwrite-dumps --salvage -o new lost-a lost-x lost-b lost-c
other="its first record belongs to a different set than lost-a, and it holds no record of that set"
grep -qx "njoin: lost-x: damaged at byte 0: superblock; $other" err || fail "$(cat err)"
same new core

# A footer in one of them takes precedence.
tail -c 8192 b > end
head -c -8192 b > head-b
cat head-b end > b2
no_superblock b2
expect_status 3 njoin -q --overwrite-dumps --salvage -o new lost-a b2 lost-c
grep -qx 'njoin: b2: damaged at byte 0: superblock' err || fail "$(cat err)"
[ "$(wc -l < err)" -eq 3 ] || fail "$(cat err)"
same new core

# A footer that an earlier capture left on the device is not used.
cat lost-one > device
tail -c 4096 x >> device
expect_status 3 njoin -q --overwrite-dumps --salvage -o new device
grep -q "^njoin: device: $lost the records in it ([0-9]*) belong to set $uuid;" err || fail "$(cat err)"
same new core
cat lost-a > device
tail -c 4096 x >> device
expect_status 3 njoin -q --overwrite-dumps --salvage -o new device b c
grep -q "^njoin: device: $lost the records in it (3)" err || fail "$(cat err)"
same new core

# Its own footer has everything, even if it is not at the end.
cat one > device
no_superblock device
head -c 40960 /dev/zero >> device
expect_status 3 njoin -q --overwrite-dumps --salvage -o new device
expect_err "njoin: device: damaged at byte 0: superblock; a footer was found at byte $(($(wc -c < one) - 4096))"
same new core

# The same for several members.
for member in a b c; do
	cat $member > "far-$member"
	no_superblock "far-$member"
	head -c 40960 /dev/zero >> "far-$member"
done
expect_status 3 njoin -q --overwrite-dumps --salvage -o new far-a far-b far-c
[ "$(grep -c ': damaged at byte 0: superblock; a footer was found at byte ' err)" -eq 3 ] || fail "$(cat err)"
[ "$(wc -l < err)" -eq 3 ] || fail "$(cat err)"
same new core
expect_status 3 njoin -q --overwrite-dumps --salvage -o new far-a far-c
grep -qx 'njoin: member 1 of 3 (numbered 0 to 2) is missing' err || fail "$(cat err)"

# Without a capture tag, the records of two captures with one UUID are alike; the footer
# distinguishes them.
SOURCE_DATE_EPOCH=5 nsplit -q --raw --chunksize=64K --stripe --serial --uuid=$uuid core old-a old-b
SOURCE_DATE_EPOCH=9 nsplit -q --raw --chunksize=64K --stripe --serial --uuid=$uuid core new-a new-b
no_superblock new-b
head -c 40960 /dev/zero >> new-b
expect_status 3 njoin -q --overwrite-dumps --salvage -o new old-a new-b
grep -qx 'njoin: new-b: belongs to a different capture than old-a with the same UUID (different: time of the capture); give members of one capture' err ||
	fail "$(cat err)"
grep -qx 'njoin: member 1 of 2 (numbered 0 to 1) is missing' err || fail "$(cat err)"
expect_status 3 njoin -q --overwrite-dumps --salvage -o new new-a new-b
same new core
