#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A sector of a member that cannot be read costs its record, in a member without index too; the
# first sector costs nothing, since the footer repeats it.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject njoin

# Incompressible records of 64 KiB: after the superblock, one every 69632 bytes.
mkfakevmcore -s 1M -p random core
nsplit -q --raw -j1 --chunksize=64K core m0
truncate -s -4096 m0
at=$((4096 + 3 * 69632))
cp core holed
dd if=/dev/zero of=holed bs=65536 seek=3 count=1 conv=notrunc 2> dd.err

expect_status 3 injected "pread:m0:@$at-$((at + 512)):EIO" njoin -q --salvage -o copy m0
expect_err "njoin: m0: has no footer at byte $(($(wc -c < m0) - 4096)): the capture did not finish, or the member was cut short
njoin: missing: bytes 196608 to 262143 (64.0 KiB)
njoin: missing: 64.0 KiB in total"
same copy holed

nsplit -q --raw --chunksize=64K core m1
expect_status 1 injected pread:m1:@0-512:EIO njoin -q -o whole m1
expect_err 'njoin: m1: at byte 0: Input/output error'
expect_status 3 injected pread:m1:@0-512:EIO njoin -q --salvage -o whole m1
expect_err 'njoin: m1: damaged at byte 0: superblock'
same whole core
