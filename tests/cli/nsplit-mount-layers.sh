#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A mount of a set with layers: vmcore has zeros for what was left out, vmcore.kdump leaves it out.
# shellcheck source=tests/cli/mount-lib.sh
. "${srcdir:?}/tests/cli/mount-lib.sh"
need_fuse
need python3

make_core kinds
mkdir mnt

# layered LEVEL HOW MEMBER...
layered() {
	make_core layered "$@"
}

# shows_kdump LEVEL WORD...: what is mounted has all pages but those of these classes
shows_kdump() {
	python3 -B "$srcdir/tests/cli/kdump-level.py" kinds class mnt/vmcore.kdump "$@" > told 2>&1 ||
		fail "level $1: $(cat told)"
}

# shows LEVEL WORD...: likewise, and what is mounted has these bytes
shows() {
	shows_kdump "$@"
	same mnt/vmcore joined
	unmount mnt
}

captured="nsplit-mount: left out when captured"
all="9.1 MiB (private 40.0 KiB, cache 600.0 KiB, user 4.4 MiB, free 4.0 MiB, offline 16.0 KiB)"

layered 16 whole a b
njoin -q --zero-left-out -o joined a b
expect_status 0 nsplit-mount a b mnt
expect_err "$captured: 4.0 MiB (free 4.0 MiB, offline 16.0 KiB); reads there fail in vmcore; vmcore.kdump marks them"
cat mnt/vmcore > part 2> cat.err && fail 'what was left out can be read'
shows_kdump 16 free
unmount mnt
expect_status 0 nsplit-mount --zero-holes a b mnt
expect_err "$captured: 4.0 MiB (free 4.0 MiB, offline 16.0 KiB); zeros in vmcore, not in vmcore.kdump"
shows 16 free
expect_status 0 nsplit-mount -q --zero-holes -d 8 b a mnt
expect_err ""
shows 24 user free

layered 31 whole c d
njoin -q --zero-left-out --overwrite-dumps -o joined c d
expect_status 0 nsplit-mount --zero-holes c d mnt
expect_err "$captured: $all; zeros in vmcore, not in vmcore.kdump"
shows 30 cache private user free

# Of pages that must not be touched, there is nothing to read.
layered 0 whole e f
njoin -q --overwrite-dumps -o joined e f
expect_status 0 nsplit-mount e f mnt
expect_err "$captured: 16.0 KiB (offline 16.0 KiB); zeros in vmcore, not in vmcore.kdump"
same mnt/vmcore joined
unmount mnt

# The level is that of what was left out, without what is left out in any case.
nsplit -q -d 2 kinds left-a left-b 2> err || fail "$(cat err)"
nsplit-mount -q left-a left-b mnt
[ "$(dd if=mnt/vmcore.kdump bs=1 skip=4104 count=4 2> dd.err | od -An -tu4 | tr -d ' ')" = 2 ] ||
	fail "another level"
unmount mnt
nsplit-mount -q -d 8 left-a left-b mnt
[ "$(dd if=mnt/vmcore.kdump bs=1 skip=4104 count=4 2> dd.err | od -An -tu4 | tr -d ' ')" = 10 ] ||
	fail "another level"
unmount mnt

# A record is damaged: that is found when it is read.  A part of it has the kernel image as its
# second place.
dd if=/dev/zero of=d bs=4096 seek=1280 count=1 conv=notrunc 2> dd.err || fail "$(cat dd.err)"
nsplit-mount -f c d mnt 2> log &
until_mounted "$!" mnt/vmcore
dd if=mnt/vmcore of=part bs=4096 skip=4100 count=1 2> dd.err && fail "what is missing can be read"
dd if=mnt/vmcore of=part bs=4096 skip=8330 count=1 2> dd.err && fail "its second place can be read"
dd if=mnt/vmcore of=part bs=4096 skip=4096 count=1 2> dd.err && fail "what was left out can be read"
dd if=mnt/vmcore of=part bs=4096 skip=3 count=1 2> dd.err || fail "$(cat dd.err)"
dd if=joined of=want bs=4096 skip=3 count=1 2> dd.err || fail "$(cat dd.err)"
same part want
unmount mnt
wait || fail "nsplit-mount has failed"
grep "damaged" log > told || :
echo "nsplit-mount: d: damaged at byte 5128192: record of bytes 16777216 to 17825791 of the source" > want
same told want

# A member is missing: what it held is, and what the other says was left out is not.
expect_status 3 nsplit-mount --zero-holes d mnt
head -n 1 err > told
echo "nsplit-mount: member 0 of 2 (numbered 0 to 1) is missing" > want
same told want
tail -n 2 err > told
echo "nsplit-mount: missing: 16.5 MiB in total; reads there return zeros
$captured: 4.7 MiB (cache 600.0 KiB, user 2.1 MiB, free 2.0 MiB); zeros in vmcore, not in vmcore.kdump" > want
same told want
njoin -q --salvage --overwrite-dumps -o joined d 2> err && fail "nothing is missing"
same mnt/vmcore joined
unmount mnt
