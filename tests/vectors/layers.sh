#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The sets with layers are the bytes that they were, and their granules are what README.layers says.
# njoin joins the good ones, and no others.
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
cp got got.maps
same got want
[ "$(wc -l < got)" -ge 50 ] || fail "only $(wc -l < got) sets"

grep -v '^#' "$vectors/golden-layers.txt" > want
(cd sets && sha256sum -- */m[0-9]) | grep -v lzo > got
same got want

# expected MAP FILE: what a set with this map is joined into: the source, with zeros for what is not
# stored
expected() {
	truncate -s "$(stat -c %s "$2")" expected
	granule=0
	for letter in $(printf %s "$1" | sed 's/./& /g'); do
		[ "$letter" != s ] || dd if="$2" of=expected bs=4096 skip=$granule seek=$granule \
			count=1 conv=notrunc 2> dd.err || fail "$(cat dd.err)"
		granule=$((granule + 1))
	done
}

# Good sets are joined, whatever was left out, to a file or in order.
while read -r name map; do
	set=sets/$name
	case $name:$map in
	good-*:*u*) status=3 ;;
	good-*) status=0 ;;
	*) continue ;;
	esac
	expected "$map" "$set/source"
	expect_status "$status" njoin --zero-left-out -o new "$set"/m*
	same new expected
	case $map in
	*l*) grep -q "^njoin: left out when captured: " err || fail "$name: $(cat err)" ;;
	*) ! grep -q "left out" err || fail "$name: $(cat err)" ;;
	esac
	rm new
	[ "$status" = 3 ] || njoin -q --zero-left-out -o - "$set"/m* > new 2> err || fail "$name: $(cat err)"
	[ "$status" = 3 ] || same new expected
	rm -f new expected
	expect_status "$status" njoin --info "$set"/m*
	[ "$(tail -n 1 out)" = "complete: $([ "$status" = 3 ] && echo no || echo yes)" ] ||
		fail "$name: $(cat out)"
	case $name in
	good-damaged-*) expect_status 1 njoin --verify "$set"/m* ;;
	*) expect_status "$status" njoin --verify "$set"/m* ;;
	esac
done < got.maps

# No other is taken for complete.
for set in sets/bad-* sets/unsupported-*; do
	njoin -q --zero-left-out -o new "$set"/m* 2> err && fail "$set: njoin says that it is complete"
	[ ! -e new ] || fail "$set: njoin has written a file"
	[ -s err ] || fail "$set: no message"
done

# What is left of the others is salvaged: to a file, in order, and by --verify.
while read -r name map; do
	set=sets/$name
	case $name:$map in
	# A record must agree with the index, which is intact and wrong.
	bad-*:- | bad-layers-index-*) continue ;;
	bad-*) ;;
	*) continue ;;
	esac
	expected "$map" "$set/source"
	expect_status 3 njoin --salvage -q --overwrite-dumps -o new "$set"/m*
	same new expected
	grep -v "^njoin: left out" err > err.file || :
	njoin --salvage -q -o - "$set"/m* > new 2> err && fail "$name: njoin says that it is complete"
	same new expected
	grep -v "^njoin: left out" err > told || :
	same told err.file
	expect_status 3 njoin --salvage --verify -q "$set"/m*
	case $map in
	*m*) grep -q "^njoin: missing: " err || fail "$name: nothing is missing: $(cat err)" ;;
	*) ! grep "^njoin: missing: " err || fail "$name: something is missing" ;;
	esac
	rm -f new expected
done < got.maps

# Members that come through a pipe have one layer behind the other, so they are copied first.
njoin -q --zero-left-out -o expected sets/good-layers-one/m*
expect_status 0 njoin -q --zero-left-out -o new - < sets/good-layers-one/m0
same new expected
