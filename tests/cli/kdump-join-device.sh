#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit-join with a set of a file and a disk without a file system: its file must not be removed.
# shellcheck source=tests/cli/kdump-join-lib.sh
. "${srcdir:?}/tests/cli/kdump-join-lib.sh"

need losetup
need_root "a loop device"
truncate -s 64M disk
device=$(losetup -f --show disk 2> loop.err) || skip "no loop device: $(cat loop.err)"
trap 'losetup -d "$device"; end_hanging; lib_clean' EXIT

mkdir crash
settings "directory = $PWD/crash" "device = $device" "remove-members = yes"
nsplit -q --overwrite-dumps --stripe kinds crash/file "$device"
joins 0
said "nsplit-join: $PWD/crash/file.kdump: made of 2 members, and verified"
said "nsplit-join: $PWD/crash/file: the members are kept, because $device, a member of their set, is a device"
[ -f crash/file ] || fail "the file was removed"
# So there is nothing left to do.
joins 0
expect_err ''

# Other sets are not affected.
nsplit -q kinds crash/other
joins 0
said "nsplit-join: $PWD/crash/other: removed"
absent crash/other

# A disk alone has no directory for the kdump file.
rm crash/*
joins 1
expect_err "nsplit-join: $device: the set has no member that is a file, so there is no directory for the kdump file"
