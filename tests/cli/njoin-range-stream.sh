#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --range of a stream.  Where the end of the stream is known only when it comes, a range beyond it
# is still an error, and nothing is left.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

size=400001
mkfakevmcore -s $size core
nsplit -q -c --chunksize=64K - - < core > unknown
nsplit -q -c -j1 --chunksize=64K core known
mkdir d

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
