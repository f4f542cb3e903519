#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A short run of the measurements succeeds, doc/benchmarks.md can be generated from it, and nothing
# is left behind.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
long_test

need python3
need gnuplot
[ -d /dev/shm ] || skip 'the measurements need /dev/shm'
unset CORE KERNELS_CACHE

# there FILE: writes the directories and devices of measurements to FILE
there() {
	ls -d /dev/shm/nsplit-measure.* /var/tmp/nsplit-measure.* /sys/block/zram* > "$1" 2> ls.err || :
	grep -l nsplit-measure /sys/block/loop*/loop/backing_file >> "$1" 2> grep.err || :
	sort -o "$1" "$1"
}

# Those of another measurement on this machine are there for some time only.
nothing_new() {
	there after
	[ -z "$(comm -13 before after)" ]
}

there before
BEFORE=$builddir python3 -B "$srcdir/bench/measure.py" --quick --programs="$builddir" --results=benchmarks \
	> said 2>&1 || fail "$(cat said)"
for part in threads lzo_lz4 corpora density emulated tools twice limits readers layers space many columns estimate; do
	[ -s benchmarks/$part.json ] || fail "$part was not measured: $(cat said)"
done
if [ -x "$builddir/tests/unit/make_kinds_core" ]; then
	for found in 'layers.json "unchanged": {' 'space.json "overhead": ['; do
		grep -qF "${found#* }" "benchmarks/${found%% *}" || fail "no ${found#* } in it: $(cat said)"
	done
fi
wait_for nothing_new
python3 -B "$srcdir/bench/report.py" --results=benchmarks --document=benchmarks.md > said 2>&1 ||
	fail "$(cat said)"
[ "$(grep -c '^## [1-9][0-9]*\. ' benchmarks.md)" -eq 13 ] || fail "$(grep '^#' benchmarks.md)"
for picture in threads-emulated lzo-lz4 density tools twice; do
	grep -q "($(basename benchmarks)/$picture.svg)" benchmarks.md || fail "no $picture in the document"
	grep -q '^</svg>' benchmarks/$picture.svg || fail "$picture is incomplete"
done
# The section of a part that was not measured says so.
rm benchmarks/corpora.json
python3 -B "$srcdir/bench/report.py" --results=benchmarks --document=benchmarks.md
grep -qx 'Not measured: it was not asked for.' benchmarks.md || fail 'the document does not say what is missing'

# The document in the tree is the one that its figures and report.py give.
mkdir tree
python3 -B "$srcdir/bench/report.py" --results="$srcdir/doc/benchmarks" --document=tree/benchmarks.md
same tree/benchmarks.md "$srcdir/doc/benchmarks.md"
