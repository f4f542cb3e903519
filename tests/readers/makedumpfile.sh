#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# makedumpfile --reassemble makes one file of a split set, with every page of the core. (Its other
# functions need a kernel in the core.)
# shellcheck source=tests/readers/lib.sh
. "${srcdir:?}/tests/readers/lib.sh"
need makedumpfile
need_compare

for codec in $codecs; do
	have_codec "$codec" || continue
	nsplit -q --overwrite-dumps -C "$codec" core a b
	expect_status 0 njoin -q --overwrite-dumps --format=kdump -o part0 -o part1 -o part2 a b
	rm -f whole
	makedumpfile --reassemble part0 part1 part2 whole > log 2>&1 || fail "$(cat log)"
	all_the_same whole
done
