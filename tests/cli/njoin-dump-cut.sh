#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin repairs a dump that is cut or damaged: every page that is there is kept, what is missing is reported, and
# the new dump is marked as incomplete.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3
have_codec zlib || skip "this build has no zlib"

python3 -B "$srcdir/tests/readers/core.py" core
expect_status 0 njoin -q --format=kdump --compress=zlib -o first core
# In the order of memory.
expect_status 0 njoin -q -j1 -o dump first
size=$(wc -c < dump)
mkdir d

# where RANK: the offset of the descriptor of a page, and that of its bytes
where() {
	python3 - "$1" << 'END'
import struct
import sys
data = open('dump', 'rb').read()
block, sub, bitmaps = struct.unpack_from('<3I', data, 428)
at = block * (1 + sub + bitmaps) + 24 * int(sys.argv[1])
print(at, struct.unpack_from('<Q', data, at)[0])
END
}

# The pages of one record are cut, and then those of several.
for rank in 479 300 3; do
	# shellcheck disable=SC2046 # two numbers
	set -- $(where $rank)
	head -c "$2" dump > short
	expect_status 3 njoin --progress=never -o d/new short
	tail -n 1 err > last
	grep -q '^njoin: missing: [1-9][0-9]* pages* of 4096 bytes$' last || fail "rank $rank: $(cat err)"
	cp err want
	expect_status 3 njoin --progress=never --verify short
	same err want
	sed 's/^njoin: missing: \([0-9]*\) pages* .*/\1/' last > missing
	expect_status 3 njoin --info short
	grep -qx "pages: 480 of 4096 bytes, $(cat missing) of them missing" out || fail "--info: $(cat out)"
	expect_status 3 njoin --list short
	grep -q "^missing: $(cat missing) pages*\$" out || fail "--list: $(cat out)"
	grep -q '^complete: no$' out || fail "--list: $(cat out)"
	expect_status 3 njoin --info d/new
	# Each of them is still there, and absent.
	grep -qx "pages: 480 of 4096 bytes, $(cat missing) of them missing" out || fail "new: $(cat out)"
	grep -q '^dump: .*, marked as incomplete$' out || fail "new: $(cat out)"
	# The summary counts the pages that are there; an ELF core also has its headers.
	for option in --verify "--overwrite-dumps -o d/new" "--overwrite-dumps --format=elf -o d/core"; do
		# shellcheck disable=SC2086 # several options
		expect_status 3 njoin --progress=always $option short
		python3 - "$(cat missing)" << 'END' || fail "$option: the summary: $(cat err)"
import re
import sys
missing = int(sys.argv[1])
last = open('err').read().splitlines()[-1]
found = re.fullmatch(r'njoin: (verified|exported) ([0-9.]+) (.iB) in .*; ([0-9.]+) (.iB) are missing', last)
unit = {'KiB': 1024, 'MiB': 1 << 20}
assert abs(float(found[2]) * unit[found[3]] - (480 - missing) * 4096) < 80000
assert abs(float(found[4]) * unit[found[5]] - missing * 4096) < 60000
END
	done
	# It says so itself, and the same pages are missing of it.
	expect_status 3 njoin --progress=never --verify d/new
	{ cat want; echo "njoin: d/new: is marked as incomplete by the program that wrote it"; } > marked
	same err marked
	rm d/*
done

# One page in the middle, which is packed, is damaged; another one's descriptor is zeros.
# shellcheck disable=SC2046 # two numbers
set -- $(where 8)
cp dump hurt
printf '\377\377\377\377\377\377' | dd of=hurt bs=1 seek="$2" conv=notrunc 2> dd.err
for output in -o "--format=elf -o"; do
	# shellcheck disable=SC2086 # several options
	expect_status 3 njoin --progress=never $output d/new hurt
	expect_err "njoin: missing: physical 0x9000 to 0x9fff
njoin: missing: 1 page of 4096 bytes"
	rm d/*
done
expect_status 3 njoin --progress=never --verify hurt
expect_err "njoin: missing: physical 0x9000 to 0x9fff
njoin: missing: 1 page of 4096 bytes"
# Its descriptor does not show that.
expect_status 0 njoin --info hurt
# shellcheck disable=SC2046 # two numbers
set -- $(where 100)
head -c 24 /dev/zero | dd of=hurt bs=1 seek="$1" conv=notrunc 2> dd.err
for option in --verify "-o d/new"; do
	# shellcheck disable=SC2086 # an option and its value
	expect_status 3 njoin --progress=never $option hurt
	expect_err "njoin: missing: physical 0x9000 to 0x9fff
njoin: missing: physical 0x65000 to 0x65fff
njoin: missing: 2 pages of 4096 bytes"
done
rm d/*
expect_status 3 njoin --info hurt
grep -qx "pages: 480 of 4096 bytes, 1 of them missing" out || fail "--info: $(cat out)"

# Nothing is left of it: before the first page, and with its descriptors only.
# shellcheck disable=SC2046 # two numbers
set -- $(where 0)
for at in 500 4096 5000 $(($1 / 2)) $(($1 - 1)) "$1"; do
	head -c "$at" dump > short
	for option in --list --info --verify --dmesg "-o d/new"; do
		# shellcheck disable=SC2086 # an option and its value
		expect_status 1 njoin -q $option short
		expect_err "njoin: short: cut short: the dump ends at byte $at, before its first page"
		expect_out ""
	done
done
head -c $(($1 + 100)) dump > short
expect_status 1 njoin -q -o d/new short
grep -qx "njoin: none of the core's memory is present" err || fail "without pages: $(cat err)"

# Headers with two numbers that are wrong: what one of them is does not follow from the other.
# wrong OFFSET...: in a copy of the dump
wrong() {
	cp dump hurt
	for offset; do
		printf '\377' | dd of=hurt bs=1 seek="$offset" conv=notrunc 2> dd.err
	done
}
wrong 428 439
expect_status 1 njoin -q -o d/new hurt
expect_err "njoin: hurt: damaged: the header of the dump"
wrong 443 $((4096 + 102))
expect_status 1 njoin -q -o d/new hurt
expect_err "njoin: hurt: damaged: the second header of the dump"
[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"
[ "$size" -eq "$(wc -c < dump)" ] || fail "the dump was changed"
