#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --format=elf: an ELF core with the pages of members of the same level, in a file and flattened; and what it
# refuses.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

make_core kinds

# pages FILE: the frames of an ELF core with their contents; those of zeros need not be in it
pages() {
	python3 -B - "$1" <<- 'END'
		import hashlib, struct, sys
		data = open(sys.argv[1], "rb").read()
		headers, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
		found = {}
		for i in range(count):
		    kind, _, at, vaddr, paddr, length, memory = struct.unpack_from("<IIQQQQQ", data, headers + 56 * i)
		    if kind != 1:
		        continue
		    assert length <= memory and at + length <= len(data)
		    for page in range(0, length, 4096):
		        bytes_ = data[at + page:at + page + 4096]
		        if any(bytes_):
		            # Memory of several virtual addresses has several headers.
		            assert found.setdefault(paddr + page, bytes_) == bytes_
		for paddr, bytes_ in sorted(found.items()):
		    print(paddr, hashlib.md5(bytes_).hexdigest())
	END
}

# unflattened FILE PLAIN: what the pieces of a flattened file make
unflattened() {
	python3 -B - "$@" <<- 'END'
		import struct, sys
		data = open(sys.argv[1], "rb").read()
		assert data.startswith(b"makedumpfile\0") and len(data) % 4096 == 0
		pieces, at = [], 4096
		while True:
		    offset, length = struct.unpack_from(">qq", data, at)
		    at += 16
		    if length < 0:
		        break
		    pieces.append((offset, data[at:at + length]))
		    at += length
		end = 0
		with open(sys.argv[2], "wb") as plain:
		    for offset, piece in sorted(pieces):
		        # No byte twice, and none is missing.
		        assert offset == end and piece
		        end += plain.write(piece)
	END
}

# What is missing of a joined core is zeros, too.
for level in 0 8 31; do
	expect_status 0 nsplit -q --overwrite-dumps -d "$level" kinds member
	expect_status 0 njoin -q --zero-left-out -o joined member
	pages joined > want
	[ -s want ] || fail "there are no pages"
	for engine in -j1 -j4 --serial; do
		expect_status 0 nsplit -q --overwrite-dumps "$engine" -d "$level" --format=elf kinds new
		expect_err ""
		pages new > got
		same got want
		expect_status 0 nsplit -q "$engine" -d "$level" --format=elf kinds -
		expect_err ""
		cp out flat
		unflattened flat plain || fail "the flattened core"
		same plain new
		expect_status 0 njoin -q --overwrite-dumps -o plain flat
		same plain new
	done
	rm joined
done

# Readers of cores find the kernel in it.
expect_status 0 njoin --list new
grep -q "^kept: level 31 " out || fail "--list: $(cat out)"
expect_status 0 njoin -q --format=kdump -o dump new

# A flattened core is a core; of one that is cut, what is there is restored.
expect_status 0 njoin --list flat
grep -q "^kept: level 31 " out || fail "--list: $(cat out)"
expect_status 2 njoin --verify flat
expect_err "njoin: flat: is an ELF file, not a member of a capture; njoin reads it with --format=kdump, --list or --dmesg"
expect_status 0 njoin -q --overwrite-dumps --format=kdump -o dump flat
expect_status 0 njoin -q --overwrite-dumps -o plain - < flat
same plain new
cat flat | expect_status 0 njoin -q --overwrite-dumps -o plain -
same plain new
head -c 3000000 flat > part
expect_status 3 njoin -q --overwrite-dumps -o plain part
expect_err "njoin: part: cut short: the flattened dump has no end"
cmp -n "$(wc -c < plain)" plain new > told 2>&1 || fail "a part: $(cat told)"
[ "$(wc -c < plain)" -gt 2000000 ] || fail "a part: $(wc -c < plain) bytes"
# All of it, up to the granule in which it ends.
head -c 20000003 flat > part
expect_status 3 njoin -q --overwrite-dumps -o plain part
python3 -B - << 'END' > told 2>&1 || fail "a part: $(cat told)"
import struct

with open('part', 'rb') as part, open('plain', 'rb') as plain:
    flat, got = part.read(), plain.read()
at = 4096
while at + 16 <= len(flat):
    offset, size = struct.unpack_from('>qq', flat, at)
    piece = flat[at + 16:at + 16 + size]
    whole = (offset + len(piece)) // 4096 * 4096 - offset if len(piece) < size else size
    assert got[offset:offset + whole] == piece[:whole], 'piece at %d' % offset
    at += 16 + size
END
rm part plain flat

# Full, unreadable, truncated: the rest is zeros, and the status says so.
need_inject nsplit
expect_status 3 injected 'pwrite:new:20-:ENOSPC' nsplit -q --overwrite-dumps -d 31 --format=elf kinds new
grep -q '^nsplit: new: No space left on device; ' err || fail "full: $(cat err)"
[ "$(pages new | wc -l)" -gt 1000 ] || fail "full: $(pages new | wc -l) pages"
# A page of the kernel: p_offset of the second program header, and its number in the memory there.
at=$(($(od -An -t u8 -j 128 -N 8 kinds | tr -d ' ') + 700 * 4096))
expect_status 3 injected "pread:kinds:@$at-$((at + 1)):EIO" nsplit -q --overwrite-dumps -d 8 --format=elf kinds new
grep -q '^nsplit: unreadable: bytes ' err || fail "unreadable: $(cat err)"

expect_status 0 nsplit -q --overwrite-dumps -c -d 31 --format=elf kinds new
expect_err "nsplit: --format=elf: the form is not compressed; the codec lzo is not used"
pages new > got
same got want
expect_usage nsplit "--format=elf writes one OUTPUT; for several disks omit it: njoin --format=elf makes a dump of \
the members" --format=elf kinds new other
expect_status 2 nsplit --format=elf - new < kinds
expect_err "nsplit: standard input: --format=elf needs a source that can be read more than once, and this is a \
stream; omit it, or capture to a file first"
expect_status 0 nsplit -n -d 31 --format=elf kinds other
grep -qx 'form: ELF core' out || fail "-n: $(cat out)"
