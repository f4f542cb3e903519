#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Devices that held a longer set before: its remains do not become part of the new set, whether the
# new one was closed or not.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_root "a loop device"
need losetup
head -c 4M /dev/zero > disk
device=$(losetup -f --show disk 2> loop.err) || skip "no loop device: $(cat loop.err)"
trap 'losetup -d "$device"; lib_clean' EXIT

mkfakevmcore -s 3M -p random old
mkfakevmcore -s 300000 -p random core
nsplit -q --overwrite-dumps --raw --chunksize=64K old "$device"
expect_status 0 njoin -q -o copy "$device"
same copy old
nsplit -q --overwrite-dumps --raw --chunksize=64K core "$device"
expect_status 0 njoin -q --overwrite-dumps -o copy "$device"
same copy core
expect_status 0 njoin -q --overwrite-dumps -o copy - < "$device"
same copy core
expect_status 0 njoin -q --overwrite-dumps --salvage -o copy "$device"
expect_err ""
same copy core

# The new set's second footer is lost, and the old one is in its place.
nsplit -q --overwrite-dumps --raw --chunksize=64K old "$device"
tail -c 4096 "$device" > footer
nsplit -q --overwrite-dumps --raw --chunksize=64K core "$device"
dd if=footer of="$device" bs=4096 seek=1023 conv=notrunc,fsync 2> dd.err || fail "$(cat dd.err)"
expect_status 1 njoin -q --overwrite-dumps -o copy "$device"
expect_err "njoin: $device: has no footer at byte 4190208: the capture did not finish, or the member was cut short; use --salvage to read what is intact"
expect_status 3 njoin -q --overwrite-dumps --salvage -o copy "$device"
expect_err "njoin: $device: has no footer at byte 4190208: the capture did not finish, or the member was cut short"
same copy core

# An earlier capture had the same UUID, and the new one was killed: neither the footer nor the
# records of the earlier one are taken for its own.
uuid=01234567-89ab-4cde-8f01-23456789abcd
nsplit -q --overwrite-dumps --raw --chunksize=64K --uuid=$uuid old "$device"
expect_status 0 njoin -q --overwrite-dumps -o copy "$device"
same copy old
mkfakevmcore -s 3M -S 2 -p random third
nsplit -q --serial --raw --chunksize=64K --uuid=$uuid third killed
head -c 163840 killed > part
dd if=part of="$device" bs=4096 conv=notrunc,fsync 2> dd.err || fail "$(cat dd.err)"
expect_status 1 njoin -q --overwrite-dumps -o copy "$device"
grep -q "^njoin: $device: the footer at byte 4190208 has the same UUID, but is not this member's" err ||
	fail "$(cat err)"
expect_status 1 njoin -q --verify "$device"
expect_status 3 njoin -q --salvage -o want part
grep '^njoin: missing' err > holes
expect_status 3 njoin -q --overwrite-dumps --salvage -o copy "$device"
grep '^njoin: missing' err | cmp - holes || fail "$(cat err)"
same copy want

# The new one was closed, at an offset where the earlier one has a record.
nsplit -q --overwrite-dumps --raw --chunksize=64K --uuid=$uuid old "$device"
nsplit -q --overwrite-dumps --raw --chunksize=64K --uuid=$uuid core "$device"
for way in "" --salvage; do
	expect_status 0 njoin -q --overwrite-dumps $way -o copy "$device"
	expect_err ""
	same copy core
done
expect_status 0 njoin -q --overwrite-dumps -o copy - < "$device"
same copy core
