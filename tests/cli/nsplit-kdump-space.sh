#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --format=kdump to a small file system, and to a block device, whose old contents are not in the dump.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3 mount umount losetup
need_root "a file system and a block device"
make_core kinds
have_codec zlib || skip "this build has no zlib"
nsplit -q -d 31 kinds member
expect_status 0 njoin -q --format=kdump --compress=zlib -o want member

# pages FILE ABSENT: FILE has the pages of the file want, but for ABSENT of them
pages() {
	python3 -B "$srcdir/tests/cli/kdump-pages.py" "$1" want "$2" > told 2>&1 || fail "$1: $(cat told)"
}

mkdir small
mount -t tmpfs -o size=10m tmpfs small 2> mount.err || skip "no tmpfs: $(cat mount.err)"
device=
clean() {
	umount "$lib_dir/small" || :
	[ -z "$device" ] || losetup -d "$device" || :
	lib_clean
}
trap clean EXIT

for engine in -j3 --serial; do
	expect_status 3 nsplit -q $engine -d 31 --format=kdump kinds small/new
	grep -q '^nsplit: small/new: No space left on device; 9.. MiB kept, no output is left; ' err ||
		grep -q '^nsplit: small/new: No space left on device; 10.. MiB kept, no output is left; ' err ||
		fail "a small file system: $(cat err)"
	pages small/new some
	# It opens as it is, and is filled to the end.
	[ "$(wc -c < small/new)" -gt 8400000 ] || fail "the dump has only $(wc -c < small/new) bytes"
	rm small/new
	expect_status 0 nsplit -q $engine -C zlib -d 31 --format=kdump --fallback=new kinds small/new
	expect_err ""
	pages small/new 0
	rm small/new
	expect_status 0 nsplit -q $engine -d 31 --format=kdump --fallback=new kinds small/new
	expect_err "nsplit: small/new: No space left on device; given up, continuing on the fallback new"
	absent small/new
	pages new 0
	rm new
done

python3 -c 'open("disk", "wb").write(b"x" * 30000000)'
device=$(losetup -f --show disk 2> loop.err) || skip "no loop device: $(cat loop.err)"
for direct in never auto; do
	expect_status 0 nsplit -q --overwrite-dumps --direct=$direct -d 31 --format=kdump kinds "$device"
	expect_err ""
	pages "$device" 0
	# The device is full.
	expect_status 3 nsplit -q --overwrite-dumps --direct=$direct --format=kdump kinds "$device"
	mv want want.31
	expect_status 0 njoin -q --format=kdump --compress=zlib -o want kinds
	pages "$device" some
	mv want.31 want
done
