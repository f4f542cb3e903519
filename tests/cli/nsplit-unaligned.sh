#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Cores whose pages do not begin at multiples of their size, as makedumpfile -E and QEMU write them: the dump is the
# same as that of a core in which they do.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"
need python3

make_core kinds
# The kernel image begins before _stext, and has its pointers there.
sed -i 's/_stext)=ffffffff81000000/_stext)=ffffffff8100f000/' kinds
make_original
expect_status 0 nsplit -q -d 31 -C zlib:1 --format=kdump kinds want
expect_status 0 nsplit -q -d 0 -C zlib:1 --format=kdump kinds all

# pack ALIGN CUT FILE [AGAIN [WHOLE]]: the same core, with segments at multiples of ALIGN in the file.  Each is cut into
# pieces of CUT bytes, in descending order if CUT is negative; with 0, none is cut.  With AGAIN, all memory follows once
# more, in pieces of AGAIN bytes that begin at the end of memory.  Segments of WHOLE bytes are not cut.
pack() {
	python3 -B - "$@" << 'EOF' || fail "$*"
import struct, sys
align, cut = int(sys.argv[1]), int(sys.argv[2])
core = open("kinds", "rb").read()
table, = struct.unpack_from("<Q", core, 32)
headers = [struct.unpack_from("<IIQQQQQQ", core, table + 56 * i) for i in range(struct.unpack_from("<H", core, 56)[0])]
again, whole = [int(arg) for arg in sys.argv[4:] + [0, 0]][:2]
pieces = []
for cut, (kind, flags, offset, vaddr, paddr, filesz, memsz, _) in \
        [(cut, h) for h in headers] + [(again, h) for h in headers[::-1] if again and h[0] == 1]:
    step = abs(cut) if cut and kind == 1 and filesz == memsz and filesz != whole else memsz
    for at in list(range(0, memsz, step))[::-1 if cut < 0 else 1]:
        size = min(step, memsz - at)
        pieces.append((kind, flags, offset + at, vaddr + at if kind == 1 else 0, paddr + at, min(size, filesz), size))
many = len(pieces) >= 0xffff
start = 64 + 56 * len(pieces) + 64
data, out = [], []
for kind, flags, offset, vaddr, paddr, filesz, memsz in pieces:
    start += -start % align
    out.append(struct.pack("<IIQQQQQQ", kind, flags, start, vaddr, paddr, filesz, memsz, 0))
    data.append((start, core[offset:offset + filesz]))
    start += filesz
head = bytearray(core[:64])
struct.pack_into("<QQ", head, 32, 64, 64 + 56 * len(pieces) if many else 0)
struct.pack_into("<HHHH", head, 56, 0xffff if many else len(pieces), 64 if many else 0, 1 if many else 0, 0)
with open(sys.argv[3], "wb") as file:
    file.write(head + b"".join(out) + struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, len(pieces), 0, 0))
    for at, contents in data:
        file.seek(at)
        file.write(contents)
print(len(pieces))
EOF
}

# as_usual FILE: its dumps are those of kinds
as_usual() {
	for way in -j3 --serial --mmap=always; do
		expect_status 0 nsplit -q $way -d 31 -C zlib:1 --format=kdump "$1" new
		expect_err ""
		same_dump new want
		expect_status 0 nsplit -q --overwrite-dumps $way -d 0 -C zlib:1 --format=kdump "$1" new
		same_dump new all
		rm new
	done
	expect_status 0 nsplit -q -d 31 --format=elf "$1" new
	expect_err ""
	rm new
	expect_status 0 makedumpfile -c -d 31 "$1" new
	told ""
	same_dump new want
	rm new
}

# as_member FILE DUMP: its member has the pages of this dump, and no free ones
as_member() {
	for way in -j3 --serial; do
		expect_status 0 nsplit -q $way -d 31 --stats=stats "$1" member
		expect_err ""
		python3 -B - << 'EOF' || fail "$1: $(cat stats)"
import json
free, = [c for c in json.load(open("stats"))["classes"] if c["name"] == "free"]
assert free["left_out"] and not free["kept"]
EOF
		expect_status 0 njoin -q -d 31 --compress=zlib:1 --format=kdump -o new member
		same_dump new "$2"
		rm new member stats
	done
}

# With the page that has a memory error, which a granule of a member may share with another page.
expect_status 0 njoin -q -d 31 --compress=zlib:1 --format=kdump -o more kinds

pack 4 0 packed
as_usual packed
expect_status 0 nsplit -q -d 31 --format=elf packed new
expect_status 0 nsplit -q -d 31 --format=elf kinds elf
same new elf
rm new
# The first page is not where it is in memory, either.
pack 1 1000001 odd
as_usual odd
# Many segments end within a page, each with a page that two of them have.
pack 4096 14848 ends
as_usual ends
as_member ends more

# What the core has twice is counted once: more pieces than a member has second places, pieces that are shifted within a
# page, few or many, and such ones before those that are aligned.
pack 8192 12288 many 12288
as_usual many
as_member many want
pack 4096 0 twice 40961
as_usual twice
as_member twice want
pack 4 12289 shifted 8191
as_usual shifted
as_member shifted more

# The kernel image is all pieces that go on where another one ends, in any order, also within a page; and its segment,
# if those with the same memory are shorter.
pack 4096 -12288 pieces
as_usual pieces
pack 4 -12289 within
as_usual within
pack 4096 12288 around 0 65536
as_usual around
as_member around want

# What cannot be read is named by its place in the file.
size=$(wc -c < packed)
head -c $((size / 2)) packed > short
expect_status 3 nsplit -q -d 0 --format=kdump short new
grep -q "^nsplit: unreadable: bytes [0-9]* to [0-9]* (short: ends early)\$" err || fail "$(cat err)"
sed -n 's/^nsplit: unreadable: bytes \([0-9]*\) to \([0-9]*\) .*/\1 \2/p' err |
	awk -v half=$((size / 2)) '$1 < half - 4096 || $2 >= 2 * half + 2 { exit 1 }' || fail "$(cat err)"
expect_status 3 njoin --info new
grep -q ', marked as incomplete$' out || fail "$(cat out)"
