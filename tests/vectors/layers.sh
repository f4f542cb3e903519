#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The sets with layers are the bytes that they were, and their granules are what README.layers says.
# njoin does not read them yet: it says so, and never calls the good ones damaged.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need sha256sum
[ -x "$builddir/tests/vectors/cook" ] || skip "the program that makes the sets requires the library check"
vectors=$srcdir/tests/vectors
CK_VERBOSITY=silent
export CK_VERBOSITY

mkdir sets
"$builddir/tests/vectors/cook" sets < "$vectors/layers.txt" > cook.log || fail "$(cat cook.log)"

# A set whose codec is not in this build is not made.
grep -E '^\| (good|bad|unsupported)-' "$vectors/README.layers" |
	sed 's/^| \([^ ]*\) | .* | \([^ ]*\) |$/\1 \2/; s/^| \([^ ]*\) | .* |  |$/\1 /' |
	while read -r name map; do
		[ ! -d "sets/$name" ] || echo "$name $map"
	done | sort > want
"$builddir/tests/vectors/layer_map" sets/* > map.log || fail "$(cat map.log)"
sort map.log > got
same got want
[ "$(wc -l < got)" -ge 50 ] || fail "only $(wc -l < got) sets"

grep -v '^#' "$vectors/golden-layers.txt" > want
(cd sets && sha256sum -- */m[0-9]) | grep -v lzo > got
same got want

for set in sets/good-*; do
	for way in -o --salvage; do
		[ $way = -o ] || way='--salvage -o'
		# shellcheck disable=SC2086
		expect_status 1 njoin -q $way new "$set"/m*
		head -n 1 err | grep -q "has layers, which this program does not read yet" ||
			fail "$set: $(cat err)"
		[ ! -e new ] || fail "$set: njoin has written a file"
	done
done
