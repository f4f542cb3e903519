#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kdump-compressed view contains each page of the core and marks missing pages.
# shellcheck source=tests/cli/mount-lib.sh
. "${srcdir:?}/tests/cli/mount-lib.sh"
need_fuse
need python3

mkfakevmcore --size=8M --pattern=mixed core
nsplit -q -c --stripe --chunksize=64K core a b c
mkdir mnt

expect_status 0 nsplit-mount --cache=1M a b c mnt
expect_err ""
expect_status 0 python3 -B "$srcdir/tests/cli/kdump-check.py" mnt/vmcore.kdump core
[ "$(cat out)" -gt 2000 ] || fail "only $(cat out) pages"
whole=$(cat out)
unmount mnt

# Chunk k of 65536 bytes is in member k mod 3, so every third chunk is missing.
expect_status 3 nsplit-mount -q a c mnt
holes=
chunk=1
while [ $((chunk * 65536)) -lt 8388608 ]; do
	holes="$holes $((chunk * 65536)) $((chunk * 65536 + 65536))"
	chunk=$((chunk + 3))
done
# shellcheck disable=SC2086
expect_status 0 python3 -B "$srcdir/tests/cli/kdump-check.py" mnt/vmcore.kdump core $holes
[ "$(cat out)" -lt $((whole * 7 / 10)) ] || fail "$(cat out) of $whole pages, though a third is missing"

# A copy of the file has the same contents: they do not depend on how it is read.  Mounted again,
# since otherwise the kernel's page cache would be compared with itself.
cat mnt/vmcore.kdump > copy
unmount mnt
expect_status 3 nsplit-mount -q --cache=0 -j1 a c mnt
same mnt/vmcore.kdump copy
unmount mnt

# Without the head of the core, the pages are not known.
expect_status 3 nsplit-mount b c mnt
grep -qx 'nsplit-mount: vmcore.kdump is not available: byte 0 is not in any member' err || fail "$(cat err)"
[ "$(ls -A mnt)" = vmcore ] || fail "shown is: $(ls -A mnt)"
unmount mnt

# Nor if the head is damaged, which is reported with any option.
cp a whole
printf 'x' | dd of=a bs=1 seek=5000 conv=notrunc 2> dd.err
expect_status 3 nsplit-mount -q a b c mnt
expect_err "nsplit-mount: vmcore.kdump is not available: a: damaged at byte 4096: record of bytes 0 to 65535 of the source"
[ "$(ls -A mnt)" = vmcore ] || fail "shown is: $(ls -A mnt)"
unmount mnt
mv whole a
