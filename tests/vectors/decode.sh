#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A decoder that was written from doc/format.md alone gets the same bytes from the good sets of both catalogues as njoin.
# It knows the codecs of the Python library.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
python3 -c 'import zlib' 2> python.err || skip "python3 has no zlib"
[ -x "$builddir/tests/vectors/cook" ] || skip "the program that makes the sets requires the library check"
CK_VERBOSITY=silent
export CK_VERBOSITY

count=0
for recipes in recipes.txt layers.txt; do
	rm -rf sets
	mkdir sets
	"$builddir/tests/vectors/cook" sets < "$srcdir/tests/vectors/$recipes" > cook.log || fail "$(cat cook.log)"
	for name in $(sed -n 's/^files \(good-[^ ]*\) .*codec=\(raw\|zlib\).*/\1/p' "$srcdir/tests/vectors/$recipes"); do
		# One of zlib, in a build without it.
		[ -d "sets/$name" ] || continue
		members="sets/$name/m?"
		# shellcheck disable=SC2086 # a pattern
		python3 -B "$srcdir/tests/vectors/decode.py" out $members > kinds 2>&1 || fail "$name: $(cat kinds)"
		# A good set may have ranges that could not be read.
		# shellcheck disable=SC2086
		njoin -q --overwrite-dumps --zero-left-out -o joined $members 2> err || [ $? -eq 3 ] || fail "$name: $(cat err)"
		cmp -s out joined || fail "$name: other bytes"
		count=$((count + 1))
	done
done
[ $count -ge 40 ] || fail "only $count sets"
