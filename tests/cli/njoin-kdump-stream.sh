#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin --format=kdump to streams: the flattened dump has each byte of the file once, and its pages; readers that end
# early, and outputs that take nothing.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3
make_core kinds

nsplit -q -c --stripe --chunksize=64K kinds a b
nsplit -q -d 30 kinds m
mkfifo pipe pipe2

# unfold FILE: turns the flattened FILE into the file plain; fails unless it has an end, no byte twice, few pieces, and the
# status of the header as its last piece
unfold() {
	python3 -c '
import struct, sys
flat = open(sys.argv[1], "rb").read()
assert flat[:16] == b"makedumpfile\0\0\0\0" and flat[16:32] == struct.pack(">QQ", 1, 1), "header"
plain, pieces, at = bytearray(), [], 4096
while True:
    offset, length = struct.unpack(">qq", flat[at:at + 16])
    at += 16
    if offset == length == -1:
        break
    assert length > 0 and at + length <= len(flat), f"piece at {at}"
    plain.extend(bytes(max(0, offset + length - len(plain))))
    plain[offset:offset + length] = flat[at:at + length]
    pieces.append((offset, length))
    at += length
assert not any(flat[at:]), "bytes behind the end"
assert pieces[-1] == (424, 4), f"last piece: {pieces[-1]}"
assert len(pieces) < 40, f"{len(pieces)} pieces"
pieces.sort()
for (offset, length), (other, _) in zip(pieces, pieces[1:]):
    assert offset + length <= other, f"twice: byte {other}"
open("plain", "wb").write(plain)' "$1" 2> lib.unfold || fail "$1: $(cat lib.unfold)"
}

# compared: the file flat has the same dump as the file want, with its pages in any order
compared() {
	unfold flat
	expect_status 0 njoin -q --format=elf -o memory.want want
	for found in flat plain; do
		expect_status 0 njoin --info "$found"
		grep -E '^(dump|pages):' out > info
		expect_status 0 njoin --info want
		grep -E '^(dump|pages):' out > info.want
		same info info.want
		expect_status 0 njoin -q --format=elf -o memory "$found"
		same memory memory.want
		rm memory
	done
	[ "$(wc -c < plain)" -eq "$(wc -c < want)" ] || fail "$(wc -c < plain) bytes and not $(wc -c < want)"
	rm memory.want
}

# Members with and without layers, a plain core, fewer pages, and a dump.  One thread takes the same places as of a file.
njoin -q --format=kdump -o dump kinds
for source in "a b" m kinds "-d 31 a b" "-d 31 kinds" dump; do
	for threads in 1 4; do
		# shellcheck disable=SC2086 # several words
		expect_status 0 njoin -q -j$threads --format=kdump -o want $source
		# shellcheck disable=SC2086
		expect_status 0 njoin --progress=never -q -j$threads --format=kdump -o - $source
		expect_err ""
		mv out flat
		compared
		[ $threads -ne 1 ] || same plain want
		rm want
	done
done

# The original, if it is there, makes the same file.
if [ -x /usr/bin/makedumpfile ]; then
	expect_status 0 njoin -q -j1 --format=kdump -o want a b
	expect_status 0 njoin -q -j1 --format=kdump -o - a b
	mv out flat
	timeout 60 /usr/bin/makedumpfile -R rearranged < flat > lib.out 2>&1 || fail "makedumpfile -R: $(cat lib.out)"
	same rearranged want
	rm want
fi

# A named pipe, which is read by njoin; and a character device.
njoin -q -j4 --format=kdump -o pipe a b 2> err &
pid=$!
cat pipe | njoin -q -j1 -o through - 2> err2 || fail "from a pipe: $(cat err2)"
expect_end 0 $pid
njoin -q --format=elf -o memory through
njoin -q --format=elf -o memory.want dump
same memory memory.want
expect_status 0 njoin -q --format=kdump -o /dev/null a b
rm memory memory.want through

# A split set: both parts flattened, or one of them a file.
cat pipe > flat0 &
one=$!
cat pipe2 > flat1 &
two=$!
expect_status 0 njoin -q --format=kdump -o pipe -o pipe2 a b
wait $one $two
cat pipe > flat2 &
one=$!
expect_status 0 njoin -q --format=kdump -o pipe -o part3 a b
wait $one
njoin -q --format=elf -o memory.want dump
for parts in "flat0 flat1" "flat2 part3" "part3 flat0"; do
	# shellcheck disable=SC2086 # two words
	expect_status 0 njoin -q --format=elf -o memory $parts
	same memory memory.want
	rm memory
done
expect_status 2 njoin -q --format=kdump -o pipe -o pipe a b
expect_err "njoin: pipe: was given twice"

# A damaged record, and a member that is missing: what is left, marked as incomplete.
cp b bad
printf x | dd of=bad bs=1 seek=500000 conv=notrunc 2> dd.err || fail "$(cat dd.err)"
for source in "a bad" a; do
	# shellcheck disable=SC2086 # two words
	expect_status 3 njoin -q -j4 --salvage --format=kdump -o want $source
	cp err err.want
	# shellcheck disable=SC2086
	expect_status 3 njoin -q -j4 --salvage --format=kdump -o - $source
	same err err.want
	mv out flat
	unfold flat
	for found in flat plain; do
		expect_status 3 njoin -q --verify $found
		grep -q "^njoin: $found: is marked as incomplete by the program that wrote it\$" err || fail "$source: $(cat err)"
		expect_status 3 njoin -q -j1 --format=elf -o memory $found
		[ -e memory.want ] && rm memory.want
		expect_status 3 njoin -q -j1 --format=elf -o memory.want want
		same memory memory.want
		rm memory
	done
	rm want
done
# Without --salvage, nothing is written of what is known to be missing.
expect_status 1 njoin -q --format=kdump -o - a
expect_out ""
# What is found on the way ends the stream without an end.
expect_status 1 njoin -q --format=kdump -o - a bad
mv out flat
if (unfold flat) 2> err; then
	fail "a dump that failed has an end"
fi

# A reader that ends early, and a device without space.
for threads in 1 4; do
	head -c 100000 pipe > flat &
	pid=$!
	expect_status 1 njoin -q -j$threads --format=kdump -o pipe a b
	wait $pid
	expect_err "njoin: pipe: Broken pipe"
	expect_status 1 njoin -q -j$threads --format=kdump -o /dev/full a b
	expect_err "njoin: /dev/full: No space left on device"
	expect_status 1 njoin -q -j$threads --format=kdump -o /dev/full -o part a b
	expect_err "njoin: /dev/full: No space left on device"
	absent part
done
