#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every codec, in every engine and with larger blocks and chunks, restores the core; so do one output or many, few threads
# or more than there are chunks.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 1048577 -p mixed core

# The codec's name alone, and its lowest and highest level.
list_codecs
sed 's/^\([a-z0-9]*\) *levels \([-0-9]*\) to \([0-9]*\),.*/\1 \1:\2 \1:\3/' lib.codecs |
	tr ' ' '\n' > codecs
while read -r codec; do
	for options in --serial -j1 -j2 -j16 '-b64K --chunksize=128K' '-b1M --chunksize=4M'; do
		rm -f a b copy
		# shellcheck disable=SC2086 # a list of options
		expect_status 0 nsplit -q -C "$codec" $options core a b
		expect_err ""
		expect_status 0 njoin -q -o copy b a
		expect_err ""
		cmp copy core || fail "$codec with $options"
	done
done < codecs

rm -f a b copy
mkfakevmcore --overwrite-dumps -s 3000000 -p mixed core

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
