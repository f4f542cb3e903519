#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The sets and dumps of the catalogues are joined, refused and salvaged as the tables say.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
[ -x "$builddir/tests/vectors/cook" ] || skip "the program that makes the sets requires the library check"
for table in "README recipes.txt" "README.dumps dumps.txt"; do
	recipes=$srcdir/tests/vectors/${table#* }
	rm -rf sets
	mkdir sets
	"$builddir/tests/vectors/cook" sets < "$recipes" > cook.log || fail "$(cat cook.log)"
	python3 -B "$srcdir/tests/vectors/vectors.py" "$srcdir/tests/vectors/${table% *}" "$recipes" sets
done

# Records that are packed with a codec that this build lacks.
id=0
for codec in lzo snappy lz4 zstd zlib; do
	id=$((id + 1))
	! have_codec $codec || continue
	echo "files $codec codec=raw size=4096 member=0/1 record=text@0+4096 footer put32=record0+40:$id reseal=record0" |
		"$builddir/tests/vectors/cook" sets > cook.log || fail "$(cat cook.log)"
	expect_status 1 njoin -q -o new sets/$codec/m0
	expect_err "njoin: sets/$codec/m0: the record at byte 4096 is packed with $codec, which this build does not support"
done
