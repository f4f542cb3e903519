#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# makedumpfile -R and njoin, with a block device as standard input: so kdumpctl of Fedora and RHEL reads a raw target.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"
need python3
need_root "a loop device"
need losetup

make_core kinds
expect_status 0 makedumpfile -F -d 31 kinds
mv out flat
# Behind the dump, there is something else.
cp flat disk
cat kinds >> disk
device=$(losetup -f --show disk 2> loop.err) || skip "no loop device: $(cat loop.err)"
trap 'losetup -d "$device"; lib_clean' EXIT

expect_status 0 makedumpfile -R new < "$device"
told ""
expect_out "$(saved new)"
same_dump flat new
expect_status 0 njoin -q --compress=zlib -o copy - < "$device"
same_dump flat copy
expect_status 0 njoin -q --verify - < "$device"
rm new copy

# A device without a dump.
dd if=/dev/zero of="$device" bs=512 count=1 2> dd.err
expect_status 1 makedumpfile -R new < "$device"
expect_out "$failed"
absent new
