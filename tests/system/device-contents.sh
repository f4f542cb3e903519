#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# -f writes only to a device that is blank or holds a member.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

need mkfs.ext4 mkswap python3
mkfakevmcore -s 300000 core
truncate -s 16M disk
blkid=yes
! grep -qx "BLKID_LIBS = " "$builddir/Makefile" || blkid=no
make_loop disk
device=$loop

# contains WHAT: the message of this build about a device that contains WHAT
contains() {
	if [ $blkid = yes ]; then
		echo "contains $1"
	else
		echo 'is not blank, and this build cannot identify its contents'
	fi
}

# refused WHAT: nothing is written without --overwrite-devices, whatever other options there are
refused() {
	cp disk before
	said="nsplit: $device: $(contains "$1"); use --overwrite-devices to overwrite"
	expect_status 2 nsplit -q core new "$device"
	expect_err "nsplit: $device: is a block device; use -f to overwrite"
	for option in -q -n --check-params; do
		expect_status 2 nsplit $option -f core new "$device"
		expect_err "$said"
	done
	expect_status 2 nsplit -qf '--filter=cat > "$FILE"' core new "$device"
	expect_err "$said"
	# With --also, the device is skipped.
	expect_status 0 nsplit -qf --also="$device" core new
	expect_err "$said; continuing without it"
	rm new
	same disk before
}

# written: with the option once, and then without it
written() {
	expect_status 0 nsplit -qf --overwrite-devices core "$device"
	expect_err ""
	expect_joined core "$device"
	expect_status 0 nsplit -q --overwrite-dumps core "$device"
	expect_err ""
	expect_joined core "$device"
}

# blank: clears the device
blank() {
	head -c 16M /dev/zero > "$device"
}

# table dos|gpt: writes a partition table with one partition
table() {
	blank
	python3 - "$device" "$1" << 'END'
import struct, sys, uuid, zlib

device, kind = sys.argv[1:]
sectors = (16 << 20) // 512
with open(device, "r+b") as disk:
    def put(sector, data):
        disk.seek(sector * 512)
        disk.write(data)

    entry = struct.pack("<B3sB3sII", 0, b"\0\2\0", 0xee if kind == "gpt" else 0x83, b"\xff" * 3,
                        1, sectors - 1)
    put(0, bytes(446) + entry + bytes(48) + b"\x55\xaa")
    if kind == "gpt":
        one = (uuid.uuid4().bytes_le + uuid.uuid4().bytes_le +
               struct.pack("<QQQ72s", 40, 1000, 0, "data".encode("utf-16-le")))
        entries = one.ljust(128 * 128, b"\0")
        for here, other, at in ((1, sectors - 1, 2), (sectors - 1, 1, sectors - 33)):
            def header(crc):
                return struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, crc, 0, here,
                                   other, 34, sectors - 34, uuid.UUID(int=1).bytes_le, at, 128,
                                   128, zlib.crc32(entries))
            put(here, header(zlib.crc32(header(0))))
            put(at, entries)
END
}

# To a blank device, and over a member.
expect_status 0 nsplit -qf core "$device"
expect_status 0 nsplit -q --overwrite-dumps core "$device"
expect_err ""
expect_joined core "$device"

mkfs.ext4 -q -F -L "my data" "$device" 2> /dev/null
refused "a file system (ext4, labelled 'my data')"
written
blank
mkfs.ext4 -q -F "$device" 2> /dev/null
refused 'a file system (ext4)'
written

mkswap "$device" > /dev/null 2>&1
refused 'swap space (swap)'
written

# The member does not reach the copy of the partition table at the end.
for label in dos gpt; do
	table $label
	refused "a partition table ($label)"
	written
done
table gpt
head -c 1M /dev/zero | dd of="$device" conv=notrunc 2> /dev/null
refused 'a partition table (gpt)'
written

if command -v cryptsetup > /dev/null; then
	blank
	echo secret | cryptsetup luksFormat -q --type luks1 --pbkdf-force-iterations 1000 "$device" -
	refused 'encrypted data (crypto_LUKS)'
	written
fi
if command -v pvcreate > /dev/null; then
	blank
	pvcreate -qq --devices "$device" "$device" > /dev/null 2>&1 &&
		refused 'an LVM physical volume (LVM2_member)'
	written
fi

# A device that gets a file system between the first and the second check.
blank
mkfifo fifo
nsplit -f -v core fifo "$device" 2> err &
nsplit=$!
kill_at_exit $nsplit
wait_for grep -q '^output 1' err
mkfs.ext4 -q -F "$device" 2> /dev/null
cp disk before
cat fifo > member
expect_end 0 $nsplit
grep -qxF "nsplit: $device: $(contains 'a file system (ext4)'); use --overwrite-devices to overwrite; given up, continuing on 1 output" err ||
	fail "$(cat err)"
same disk before
expect_joined core member

# A device whose reads hang delays neither the other outputs nor the end nor the reader of the
# messages.
blank
LD_PRELOAD=$builddir/tests/faults/inject.so \
	INJECT="read:${device#/dev/}:1:hang pread:${device#/dev/}:1:hang" \
	nsplit -q -f --sink-timeout=1 core new "$device" 2>&1 > out | cat > err
expect_err "nsplit: $device: no answer for 1 s; given up, continuing on 1 output"
expect_joined core new

# An ELF core has no place that says which pages are missing, so a device gets zeros there.  That may take longer than
# an output may hang, but not if the output has failed: then the dump does not count, and what is left is said.
need_inject nsplit
make_core kinds
truncate -s 40M wide
make_loop wide
device=$loop
name=${device##*/}
fill() {
	tr '\0' X < /dev/zero | head -c 40M > "$device"
}
fill
rm -f log
expect_status 0 injected "pwrite:$name:20-:slow=80" nsplit -qf --overwrite-devices -j1 -d 31 --format=elf --sink-timeout=1 kinds "$device"
expect_err ''
[ -s log ] || fail "nothing was slow"
nsplit -q -d 31 --format=elf kinds all
head -c "$(stat -c %s all)" "$device" | cmp - all
for rule in "pwrite:$name:12:EIO pwrite:$name:13-:slow=80" "pwrite:$name:12-:EIO"; do
	fill
	rm -f log
	expect_status 1 injected "$rule" nsplit -qf --overwrite-devices -j1 -d 31 --format=elf --sink-timeout=1 kinds "$device"
	sed 's/: [0-9.]* MiB/: SIZE/' err > told
	cmp - told << END || fail "$rule: $(cat err)"
nsplit: $device: Input/output error; given up, no output is left
nsplit: $device: SIZE of missing pages could not be replaced by zeros, and hold what the device held before
nsplit: nothing was captured: every output failed
END
done
