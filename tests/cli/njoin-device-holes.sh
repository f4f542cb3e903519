#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# On a device, missing ranges are written as zeros: the previous contents do not remain.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_root "a loop device"
need losetup
head -c 2M /dev/urandom > disk
device=$(losetup -f --show disk 2> loop.err) || skip "no loop device: $(cat loop.err)"
trap 'losetup -d "$device"; lib_clean' EXIT

mkfakevmcore -s 1000000 core
nsplit -q -c --stripe --chunksize=64K core a b c
expect_status 3 njoin -q --salvage -o copy a c
expect_status 3 njoin -q --salvage --overwrite-dumps -o "$device" a c
head -c 1000000 "$device" > back
same back copy

# With layers, nothing is written if something is missing; otherwise zeros where pages were left out.
[ -x "$builddir/tests/unit/make_layered_core" ] || exit 0
make_core layered 16 whole d e
losetup -d "$device"
trap lib_clean EXIT
head -c 33M /dev/urandom > disk
device=$(losetup -f --show disk 2> loop.err) || skip "no loop device: $(cat loop.err)"
trap 'losetup -d "$device"; lib_clean' EXIT
cp disk before
expect_status 1 njoin -q --overwrite-dumps --zero-left-out -o "$device" d
tail -n 1 err > told
echo "njoin: missing: 16.1 MiB in total; nothing was written; use --salvage to write what is available" > want
same told want
same disk before
njoin -q --zero-left-out -o copy --overwrite-dumps d e
expect_status 0 njoin -q --overwrite-dumps --zero-left-out -o "$device" d e
head -c "$(stat -c %s copy)" "$device" > back
same back copy
expect_status 3 njoin -q --salvage --overwrite-dumps -o copy d
expect_status 3 njoin -q --salvage --overwrite-dumps -o "$device" d
head -c "$(stat -c %s copy)" "$device" > back
same back copy
