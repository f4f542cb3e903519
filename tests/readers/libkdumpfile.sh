#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# libkdumpfile reads every page of njoin --format=kdump as it reads the core: with each codec, from
# one file and several; missing pages are absent.
# shellcheck source=tests/readers/lib.sh
. "${srcdir:?}/tests/readers/lib.sh"
need_compare

for codec in $codecs; do
	have_codec "$codec" || continue
	for block in 4K 64K; do
		nsplit -q --overwrite-dumps -C "$codec" -b "$block" core a b
		expect_status 0 njoin -q --overwrite-dumps --format=kdump -o one a b
		all_the_same one
		expect_status 0 njoin -q --overwrite-dumps --format=kdump -o part0 -o part1 -o part2 a b
		all_the_same part0 part1 part2
		all_the_same part2 part0 part1
	done
done
for codec in lzo snappy zlib zlib:9 zstd:3; do
	have_codec "${codec%:*}" || continue
	nsplit -q --overwrite-dumps -r -b 16K core a b
	expect_status 0 njoin -q --overwrite-dumps --format=kdump --compress="$codec" -o one a b
	all_the_same one
done

# A member is missing: two records of 64 KiB, in the second and third segment.
nsplit -q --overwrite-dumps -c --stripe --chunksize=64K core c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 c13 c14 c15 c16
expect_status 3 njoin -q --salvage --format=kdump -o rest c1 c2 c3 c4 c5 c7 c8 c9 c10 c11 c12 c13 \
	c14 c15 c16
lost=$(sed -n 's/^njoin: missing: \([0-9]*\) pages of 4096 bytes$/\1/p' err)
[ "$lost" -ge 32 ] || fail "missing: $lost pages"
expect_status 0 "$compare" core rest
read -r same rest < out
[ "$same" -eq $((core_pages - lost)) ] || fail "$same pages are the same ($rest)"
