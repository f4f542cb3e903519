#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# On a device, missing ranges are written as zeros: the previous contents do not remain.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

[ "$(id -u)" -eq 0 ] || skip "a loop device takes root"
need losetup
head -c 2M /dev/urandom > disk
device=$(losetup -f --show disk 2> loop.err) || skip "no loop device: $(cat loop.err)"
trap 'losetup -d "$device"; lib_clean' EXIT

mkfakevmcore -s 1000000 core
nsplit -q -c --stripe --chunksize=64K core a b c
expect_status 3 njoin -q --salvage -o copy a c
expect_status 3 njoin -q --salvage -f -o "$device" a c
head -c 1000000 "$device" > back
same back copy
