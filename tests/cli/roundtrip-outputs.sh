#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One output or many, few threads or more than there are chunks: the core is restored.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 3000000 -p mixed core

for outputs in 1 2 3 8 16; do
	for engine in --serial -j1 -j2 -j16 '--serial --stripe' '-j4 --stripe'; do
		rm -f m* copy
		# shellcheck disable=SC2086 # a list of options
		expect_status 0 nsplit -q -c $engine --chunksize=128K core "m{1..$outputs}"
		expect_err ""
		[ "$(find . -name 'm[0-9]*' | wc -l)" -eq $outputs ] || fail "$outputs outputs: $(ls)"
		expect_status 0 njoin -q -o copy "m{$outputs..1}"
		expect_err ""
		cmp copy core || fail "$outputs outputs with $engine"
	done
done

# Outputs in different directories, with names that nsplit expands.
mkdir disk0 disk1 disk2
expect_status 0 nsplit -q -c core 'disk<0..2>/a'
expect_status 0 njoin -q --overwrite-dumps -o copy 'disk{0..2}/a'
same copy core
