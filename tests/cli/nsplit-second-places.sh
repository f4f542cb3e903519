#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Memory that the source has twice counts once, in nsplit and in njoin, also if it is left out: the last pages of
# the kernel image are page cache here, as a kernel gives memory of its image away after it has started.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

make_core kinds
python3 -B - << 'END' || fail "no core with an image that was given away"
import struct
IMAGE, IMAGES, GIVEN, CACHE, PAGE, MAP = 4096, 16, 4, 5200, 64, 0xffffea0000000000
core = bytearray(open("kinds", "rb").read())
table, count = struct.unpack_from("<Q", core, 32)[0], struct.unpack_from("<H", core, 56)[0]
headers = [struct.unpack_from("<IIQQQQQQ", core, table + 56 * i) for i in range(count)]
map_at = next(offset for _, _, offset, address, *_ in headers if address == MAP)
cache = core[map_at + CACHE * PAGE:map_at + (CACHE + 1) * PAGE]
for pfn in range(IMAGE + IMAGES - GIVEN, IMAGE + IMAGES):
    core[map_at + pfn * PAGE:map_at + (pfn + 1) * PAGE] = cache
open("given", "wb").write(core)
END

# amounts FILE: of the JSON of nsplit or njoin, what is kept, left out and missing of each class, and the second places
amounts() {
	python3 -B - "$@" << 'END' || fail "$*: $(cat "$1")"
import json, sys
told = json.load(open(sys.argv[1]))
told = told.get("captured", told)
for c in sorted(told["classes"], key=lambda c: c["name"]):
    if c["kept"] or c["left_out"] or c["missing"]:
        print(c["name"], c["kept"], c["left_out"], c["missing"])
print("second places", told["second_place_bytes"])
END
}

for level in 0 2 31; do
	for threads in -j3 --serial; do
		expect_status 0 nsplit $threads -d $level --stats=stats given a b
		cp err summary
		second="second places: 64.0 KiB that the source has twice, counted once"
		grep -qx "nsplit:   $second" summary || fail "-d $level: $(cat summary)"
		amounts stats > want
		grep -qx "second places 65536" want || fail "-d $level: $(cat want)"
		for mode in --info --list; do
			expect_status 0 njoin $mode a b
			grep -qx "captured: $second" out || fail "$mode: $(cat out)"
			expect_status 0 njoin $mode --json a b
			amounts out > told
			# Without a level, nsplit looks for no classes.
			[ $level = 0 ] || same told want
		done
		# Every byte of the source counts, and none counts twice.
		sum=$(awk '{ sum += $2 + $3 + $4 } END { printf "%d", sum }' told)
		[ "$sum" = "$(wc -c < given)" ] || fail "-d $level: $sum bytes: $(cat told)"
		rm a b
	done
done

# The headers of the source, which a dump does not have, are no second place.
for form in kdump elf; do
	expect_status 0 nsplit --format=$form -d 31 --stats=stats given dump
	grep -qx "nsplit:   $second" err || fail "$form: $(cat err)"
	amounts stats > want
	grep -qx "second places 65536" want || fail "$form: $(cat want)"
	rm dump
done

# What is left out, in sentences.
expect_status 0 nsplit -d 31 given a b
left_out=$(sed -n 's/^nsplit:   left out: //p' err)
[ -n "$left_out" ] || fail "$(cat err)"
expect_status 0 njoin --progress=never --verify a b
expect_err "njoin: left out when captured: $left_out"
expect_status 0 njoin --info --json a b
grep -q '"second_place_left_out": 16384' out || fail "$(cat out)"

# Both places are compared.  A sample is enough where the kernel's page tables say of both segments what the headers say;
# where one header or VMCOREINFO disagrees, a difference anywhere in the image is found.
python3 -B "$srcdir/tests/cli/page-tables.py" kinds tabled
python3 -B - << 'END' || fail "no odd cores"
import struct
core = bytearray(open("tabled", "rb").read())
DIRECT, IMAGE, VADDR, PADDR = 1, 3, 16, 24
header = lambda n: 64 + 56 * n
core[struct.unpack_from("<Q", core, header(IMAGE) + 8)[0] + 3 * 4096 + 7] ^= 1

def write(name, at, value):
    odd = bytearray(core)
    odd[at:at + len(value)] = value
    open(name, "wb").write(odd)

word = lambda value: struct.pack("<Q", value)
write("agreed", 0, b"")
write("moved", header(DIRECT) + VADDR, word(0xffff888000001000))
write("unmapped", header(IMAGE) + VADDR, word(0xffffffff91000000))
write("numberless", core.rindex(b"NUMBER(phys_base)=0"), b"NUMBER(phys_base)=8")
for n in range(1, 5):
    core[header(n) + PADDR:header(n) + PADDR + 8] = word(0)
write("zero", 0, b"")
END
for core in agreed moved unmapped numberless zero; do
	rm -f a b joined
	expect_status 0 nsplit -q -d 0 --stats=stats "$core" a b
	amounts stats > told
	places=$(sed -n 's/^second places //p' told)
	if [ "$core" = agreed ]; then
		[ "$places" = 65536 ] || fail "$core: $(cat told)"
	else
		[ "$places" = 0 ] || fail "$core: $(cat told)"
		expect_status 0 njoin -q -o joined a b
		cmp "$core" joined || fail "$core"
	fi
done
