#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sources of every odd size and kind are restored identically; codec, threads and outputs vary.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

list_codecs
codecs=$(wc -l < codecs)
mkfakevmcore -s 5250000 -p mixed large.core
mkfakevmcore -s 5250000 -p random large.random
mkfakevmcore -s 5250000 -p text large.text
truncate -s 5250000 large.zero

turn=0
for size in 0 1 4095 4096 4097 1048575 1048576 1048577 5243003; do
	for kind in core random text zero; do
		turn=$((turn + 1))
		codec=$(sed -n "$((turn % codecs + 1))p" codecs)
		case $((turn % 5)) in
		0) engine=--serial ;;
		1) engine=-j1 ;;
		2) engine=-j2 ;;
		3) engine=-j16 ;;
		4) engine='-j3 --stripe' ;;
		esac
		case $((turn % 4)) in
		0) outputs=m0 ;;
		1) outputs='m{0..1}' ;;
		2) outputs='m{0..2}' ;;
		3) outputs='m{0..7}' ;;
		esac
		# The head of a core is small; the data of this kind begins after it.
		tail -c +8193 "large.$kind" | head -c "$size" > source
		rm -f m? copy
		# shellcheck disable=SC2086 # engine is a list of options
		expect_status 0 nsplit -q -C "$codec" $engine source "$outputs"
		expect_err ""
		expect_status 0 njoin -q -j$((turn % 3 + 1)) -o copy "$outputs"
		expect_err ""
		cmp copy source || fail "$size bytes of $kind with $codec, $engine, to $outputs"
	done
done
