#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --range writes exactly these bytes: inside a block, across blocks and chunks, all of them.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

size=400001
mkfakevmcore -s $size -p mixed core
nsplit -q -c --stripe --chunksize=64K core a b c
mkdir d

# part OFFSET LENGTH
part() {
	tail -c +$(($1 + 1)) core | head -c "$2" > want
	expect_status 0 njoin -q --range="$1:$2" -o d/new c a b
	expect_err ""
	same d/new want
	rm d/new
	expect_status 0 njoin -q -j3 --range="$1:$2" -o - c a b
	same out want
}

part 0 1
part 0 $size
part 1 1
part 4095 2
part 4096 4096
part 8000 4999
part 65535 1
part 65535 2
part 65536 65536
part 65530 131100
part 123457 200003
part $((size - 1)) 1
part $((size - 6817)) 6817
part 1 $((size - 1))
# Sizes with suffixes.
tail -c +65537 core | head -c 131072 > want
expect_status 0 njoin -q --range=64K:128KiB -o d/new a b c
same d/new want
rm d/new

# A range beyond the end is refused before any file is created.
while read -r range last; do
	expect_status 2 njoin -q --range="$range" -o d/new a b c
	expect_err "njoin: --range: byte $last is beyond the end of the source, which has $size bytes"
	[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"
done << END
$size:1 $size
0:$((size + 1)) $size
$((size - 1)):2 $size
1T:1 1099511627776
9223372036854775807:9223372036854775807 18446744073709551613
END

# --verify with a range.
expect_status 0 njoin -q --verify --range=5:70000 a b c
expect_err ""
expect_status 1 njoin -q --verify a b
expect_status 2 njoin -q --verify --range=5:$size a b c

# Of a stream.  Where its end is known only when it comes, a range beyond it is still an error, and nothing is left.
nsplit -q -c --chunksize=64K - - < core > unknown
nsplit -q -c -j1 --chunksize=64K core known

for stream in unknown known; do
	for range in 0:1 0:$size 65535:2 100000:200000 $((size - 1)):1; do
		tail -c +$((${range%:*} + 1)) core | head -c "${range#*:}" > want
		expect_status 0 njoin -q --range="$range" -o d/new - < $stream
		expect_err ""
		same d/new want
		rm d/new
		expect_status 0 njoin -q --range="$range" -o - - < $stream
		same out want
	done
done

for range in $size:1 500000:100000 $((size - 1)):2 0:$((size + 1)); do
	last=$((${range%:*} + ${range#*:} - 1))
	for stream in known unknown; do
		expect_status 2 njoin -q --range="$range" -o d/new - < $stream
		expect_err "njoin: --range: byte $last is beyond the end of the source, which has $size bytes"
		[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"
	done
done
