#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin reads a split dump of which one file has a wrong bit in its bitmap: all pages are
# there, and the file is named.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3
have_codec zlib || skip "this build has no zlib"

python3 -B "$srcdir/tests/readers/core.py" core
expect_status 0 njoin -q -j1 --format=kdump --compress=zlib -o whole core
expect_status 0 njoin -q -o 0 -o 1 -o 2 whole
expect_status 0 njoin -q -j1 -o want 0 1 2
mkdir d

# hurt FILE PART: flips a bit of the bitmap of FILE, in the middle of the pages of PART
hurt() {
	python3 - "$@" << 'END'
import struct
import sys
data = bytearray(open(sys.argv[1], 'rb').read())
block, sub, bitmaps = struct.unpack_from('<3I', data, 428)
begin, end = struct.unpack_from('<QQ', open(sys.argv[2], 'rb').read(), block + 80)
bitmap2 = block * (1 + sub + bitmaps // 2)
frame = (begin + end) // 2
data[bitmap2 + frame // 8] ^= 1 << frame % 8
open(sys.argv[1], 'wb').write(data)
END
}

for file in 0 1 2; do
	for part in 0 1 2; do
		cp $file saved
		hurt $file $part
		other=$((file == 0))
		told="njoin: $file: damaged: the bitmap of its pages; that of $other is used, which fits what is in the files"
		for option in "-o d/new" --verify "--salvage -o d/new" "--format=kdump -o d/new"; do
			# shellcheck disable=SC2086 # several options
			expect_status 3 njoin --progress=never -j1 $option 0 1 2
			expect_err "$told"
			[ "$option" = --verify ] || same d/new want
			rm -f d/new
		done
		expect_status 3 njoin --info 0 1 2
		expect_err "$told"
		grep -q '^pages: 480 of 4096 bytes, 0 of them missing$' out || fail "--info: $(cat out)"
		expect_status 3 njoin --progress=never --format=elf -o d/elf 2 0 1
		rm d/elf
		cp saved $file
	done
done

# A single file: it cannot be known which bit it is.
cp whole alone
hurt alone 1 > offset
expect_status 3 njoin --progress=never --info alone
expect_err "njoin: alone: damaged: the bitmap of its pages has another number of pages than there are descriptors; pages \
may be in the places of others"

