#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --plot draws SVG and PNG with gnuplot.  A missing gnuplot is reported before the first round.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

measure() {
	nsplit-bench -q fake:1M null: --codecs=raw,lzo -j1,2 --rounds=2 --warmup=0 "$@"
}

mkdir bin
for command in sh cat rm; do
	ln -s "$(command -v $command)" bin/
done
path=$PATH
PATH=$builddir:$PWD/bin
status=0
measure --plot=none.svg > out 2> err || status=$?
PATH=$path
[ $status -eq 1 ] || fail "status $status: $(cat err)"
expect_err 'nsplit-bench: --plot=none.svg: gnuplot is not installed'
expect_out ''
absent none.svg

need gnuplot
expect_status 0 measure --plot="a 'quoted' name.svg"
head -c 200 "a 'quoted' name.svg" | grep -q '<svg\|<?xml' || fail "not an SVG file"
grep -q '^</svg>' "a 'quoted' name.svg" || fail "the SVG is incomplete"
for word in raw lzo threads 'MB/s' ratio; do
	grep -q ">[^<]*$word" "a 'quoted' name.svg" || fail "the picture does not contain $word"
done
expect_status 0 measure --plot=b.png
[ "$(head -c 4 b.png | tail -c 3)" = PNG ] || fail "not a PNG file"

# If the benchmark ended early, the completed part is drawn.
nsplit-bench -q --progress=always fake:3M null: --codecs=raw,lzo -j1,2 --warmup=0 --rounds=100 \
	--disk-rate=1M --plot=early.svg > out 2> err &
pid=$!
wait_for grep -q '^nsplit-bench: [1-9][0-9]* of 400, ' err
kill -s TERM $pid
status=0
wait $pid || status=$?
[ $status -eq 143 ] || fail "status $status: $(cat err)"
grep -q '^</svg>' early.svg || fail "no picture of a part: $(cat err)"
