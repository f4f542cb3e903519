#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Missing pages give EIO, or zeros, and are reported.
# shellcheck source=tests/cli/mount-lib.sh
. "${srcdir:?}/tests/cli/mount-lib.sh"
need_fuse
need python3

mkfakevmcore -s 600000 core
nsplit -q -c --chunksize=64K --stripe core a b c
mkdir mnt

# gives FILE FROM TO...: these ranges cannot be read, all other pages are those of the core
gives() {
	python3 - "$@" << 'END' || fail "missing ranges of $1"
import errno, os, sys
holes = [int(n) for n in sys.argv[2:]]
holes = list(zip(holes[::2], holes[1::2]))
shown, core = os.open(sys.argv[1], os.O_RDONLY), os.open('core', os.O_RDONLY)
size = os.stat('core').st_size
if os.fstat(shown).st_size != size:
    sys.exit(f'{os.fstat(shown).st_size} bytes and not {size}')
for offset in range(0, size, 4096):
    missing = any(begin < offset + 4096 and offset < end for begin, end in holes)
    try:
        got = os.pread(shown, 4096, offset)
    except OSError as e:
        got = e.errno
    want = errno.EIO if missing else os.pread(core, 4096, offset)
    if got != want:
        sys.exit(f'page at {offset}: {got if missing else "not that of the core"}')
# A read ends at the first missing page.
if holes:
    got = len(os.pread(shown, size, 0))
    if got != holes[0][0]:
        sys.exit(f'{got} bytes in one read and not {holes[0][0]}')
END
}

b_holes="nsplit-mount: member 1 of 3 (numbered 0 to 2) is missing
nsplit-mount: missing: bytes 65536 to 131071 (64.0 KiB)
nsplit-mount: missing: bytes 262144 to 327679 (64.0 KiB)
nsplit-mount: missing: bytes 458752 to 524287 (64.0 KiB)"
expect_status 3 nsplit-mount a c mnt
expect_err "$b_holes
nsplit-mount: missing: 192.0 KiB in total; reads there fail"
gives mnt/vmcore 65536 131072 262144 327680 458752 524288
unmount mnt

expect_status 3 njoin -q --salvage -o want a c
expect_status 3 nsplit-mount --zero-holes a c mnt
expect_err "$b_holes
nsplit-mount: missing: 192.0 KiB in total; reads there return zeros"
same mnt/vmcore want
unmount mnt

# Damage is noticed when it is read: reported once, in the foreground on standard error.
cp b whole
printf 'x' | dd of=b bs=1 seek=5000 conv=notrunc 2> dd.err
nsplit-mount -f a b c mnt 2> err &
pid=$!
until_mounted $pid mnt/vmcore
gives mnt/vmcore 65536 131072
gives mnt/vmcore 65536 131072
unmount mnt
expect_end 3 $pid damage
expect_err "nsplit-mount: b: damaged at byte 4096: record of bytes 65536 to 131071 of the source"
# Before everything has been read, it is not known.
expect_status 0 nsplit-mount --zero-holes a b c mnt
expect_err ""
cp core want
dd if=/dev/zero of=want bs=65536 seek=1 count=1 conv=notrunc 2> dd.err
same mnt/vmcore want
unmount mnt
mv whole b

# A member that is temporarily unreadable: reads fail meanwhile, without zeros, and succeed
# afterwards.
cp b whole
expect_status 0 nsplit-mount --zero-holes a b c mnt
truncate -s 4096 b
if cmp mnt/vmcore core > cmp.out 2>&1; then
	fail "reading succeeds although the member was cut short"
fi
grep -q 'Input/output error' cmp.out || fail "$(cat cmp.out)"
cat whole > b
until cat mnt/vmcore > got 2> cat.err; do
	grep -q 'Input/output error' cat.err || fail "$(cat cat.err)"
	sleep 0.05
done
same got core
unmount mnt

# A member that was cut short is read through its records.
head -c "$(($(stat -c %s b) - 8192))" b > short
expect_status 3 nsplit-mount --salvage a short c mnt
grep -q '^nsplit-mount: short: has no footer' err || fail "$(cat err)"
same mnt/vmcore core
unmount mnt
expect_status 0 nsplit-mount a b c x mnt
expect_err "nsplit-mount: x: No such file or directory; continuing without it"
unmount mnt

# Blocks that could not be read during the capture: the file was cut short meanwhile.
cp core source
mkfifo pipe
nsplit -q -c --chunksize=64K source pipe 2> err &
pid=$!
wait_for has_open $pid source
truncate -s 540672 source
cat pipe > member
expect_end 3 $pid "a source that was cut short"
expect_status 3 nsplit-mount member mnt
expect_err "nsplit-mount: unreadable when captured: 15 blocks; reads there fail"
gives mnt/vmcore 540672 600000
unmount mnt
expect_status 3 nsplit-mount --zero-holes member mnt
expect_err "nsplit-mount: unreadable when captured: 15 blocks; reads there return zeros"
truncate -s 600000 source
same mnt/vmcore source
