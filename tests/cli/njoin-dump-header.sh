#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin reads dumps in which one number of the headers is wrong: all pages are there, and the
# number is named, if it is not possible, and another copy of it is.  Otherwise it does not end with 0.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3
have_codec zlib || skip "this build has no zlib"

python3 -B "$srcdir/tests/readers/core.py" core
expect_status 0 njoin -q -j1 --format=kdump --compress=zlib -o whole core
expect_status 0 njoin -q -o 0 -o 1 -o 2 whole
expect_status 0 njoin -q -j1 --format=elf -o want whole
mkdir d

# hurt FILE SECOND AT BYTES VALUE: changes a number in a copy of FILE, hurt, of the second header or the first one.
# VALUE: 0, ones, flip or toggle (another truth).  Fails if that changes nothing.
hurt() {
	python3 - "$@" << 'END'
import sys
name, second, at, size, value = sys.argv[1:]
data = bytearray(open(name, 'rb').read())
at, size = int(at) + 4096 * int(second), int(size)
old = int.from_bytes(data[at:at + size], 'little')
new = {'0': 0, 'ones': (1 << 8 * size) - 1, 'flip': old ^ 1 << 6, 'toggle': int(not old)}[value]
data[at:at + size] = new.to_bytes(size, 'little')
open('hurt', 'wb').write(data)
sys.exit(new == old)
END
}

# check TOLD FILES...: njoin copies all pages of them; TOLD is the number that it names, or nothing; with ! it has only one copy
check() {
	told=$1
	shift
	if [ "$told" = ! ]; then
		! njoin -q --format=elf -o d/new "$@" 2> err || fail "exit status 0"
		rm -f d/new
		return
	fi
	if [ -n "$told" ]; then
		expect_status 3 njoin --progress=never -j1 --format=elf -o d/new "$@"
		expect_err "njoin: hurt: damaged: $told in the header; what fits the rest of the file is used"
	else
		expect_status 0 njoin --progress=never -j1 --format=elf -o d/new "$@"
		expect_err ""
	fi
	same d/new want
	rm d/new
}

# Which header, offset, bytes, values, for a single dump or a part of a split one or both, and what is named.
while read -r second at bytes values which told; do
	for value in $(echo "$values" | tr , ' '); do
		label="header $second, offset $at, value $value"
		if [ "$which" != part ] && hurt whole "$second" "$at" "$bytes" "$value"; then
			echo "$label, single"
			check "$told" hurt
		fi
		if [ "$which" != single ] && hurt 1 "$second" "$at" "$bytes" "$value"; then
			echo "$label, one part"
			check "$told" 0 hurt 2
		fi
	done
done << 'END'
0 0 1 flip both the signature
0 6 2 0 both the signature
0 8 4 0 both the version
0 8 4 ones both !
0 428 4 0,ones,flip both !
0 432 4 0,ones,flip both !
0 436 4 0,ones,flip both !
0 440 4 0,ones,flip both the number of page frames
0 408 8 0,ones,flip single
0 444 4 ones,flip both
0 448 4 ones,flip both
0 452 4 ones,flip both
0 456 4 ones,flip both
0 460 4 0,ones,flip both
1 12 4 toggle both the mark of a split dump
1 16 8 ones,flip part the first page frame
1 24 8 0,ones,flip part the end of the page frames
1 32 8 0,ones,flip both the place or size of VMCOREINFO
1 40 8 0,ones both the place or size of VMCOREINFO
1 48 8 0,ones,flip both the place of the notes
1 56 8 0,ones both the size of the notes
1 80 8 ones part the first page frame
1 88 8 0,ones part the end of the page frames
1 80 8 flip part !
1 88 8 flip part !
1 96 8 0,ones,flip both the number of page frames
END

# The signature is wrong in a file and in a flattened one, or that of the flattened form is.
python3 "$srcdir/tests/cli/flatten.py" whole 4096 > flat
for change in "whole 1" "flat 4113" "flat 3 9"; do
	# shellcheck disable=SC2086 # several arguments
	python3 - $change << 'END'
import sys
data = bytearray(open(sys.argv[1], 'rb').read())
for at in sys.argv[2:]:
    data[int(at)] ^= 2
open('hurt', 'wb').write(data)
END
	expect_status 3 njoin --progress=never -j1 --format=elf -o d/new hurt
	if [ "$change" = "flat 3 9" ]; then
		expect_err "njoin: hurt: damaged: the signature of the flattened dump"
	else
		expect_err "njoin: hurt: damaged: the signature in the header; what fits the rest of the file is used"
	fi
	same d/new want
	rm d/new
done
