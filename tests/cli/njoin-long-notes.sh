#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The headers and notes of a core are in memory a few times at most, whatever the number of threads.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3 prlimit

# An arena of malloc() for each thread would take addresses, too.
MALLOC_ARENA_MAX=1
export MALLOC_ARENA_MAX
bytes=1000000000
prlimit --as=$bytes njoin --version > version 2> err || skip "it does not run in 1 GB of address space"

python3 -B "$srcdir/tests/cli/hostile-cores.py" notes-long core
nsplit -q core a
for threads in 1 64; do
	for source in core a; do
		expect_status 0 prlimit --as=$bytes njoin -j$threads --list $source
		expect_err ""
		grep -q '^notes: LONG, type 1: 1, 58720256 bytes in total$' out || fail "--list: $(cat out)"
		expect_status 0 prlimit --as=$bytes njoin -q --overwrite-dumps -j$threads --format=kdump -d 31 -o dump $source
		grep -v ' the core does not describe its pages: ' err > other || :
		[ ! -s other ] || fail "--format=kdump: $(cat other)"
	done
done
