#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# With -f, a file that another process is writing is left alone: the output fails, and the others take
# its share.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 300000 -p random core
mkfifo source
why='o: is being written by another process'

for engine in --serial -j2; do
	echo old > o
	nsplit -q --overwrite-dumps --chunksize=16K $engine source o 2> first.err &
	first=$!
	kill_at_exit $first
	exec 3> source
	head -c 200000 core >&3
	# It holds records, and the capture cannot end before the source.
	wait_for at_least 50000 o

	expect_status 0 nsplit -q --overwrite-dumps $engine core o other
	expect_err "nsplit: $why; given up, continuing on 1 output"
	expect_status 1 nsplit -q --overwrite-dumps $engine core o
	expect_err "nsplit: $why; given up, no output is left
nsplit: nothing was captured: every output failed"
	expect_status 1 mkfakevmcore --overwrite-dumps -s 100000 o
	expect_err "mkfakevmcore: $why"
	expect_status 1 njoin -q --overwrite-dumps --format=kdump -o o core
	expect_err "njoin: $why"
	tail -c +200001 core >&3
	exec 3>&-
	status=0
	wait $first || status=$?
	[ $status -eq 0 ] || fail "$engine: status $status: $(cat first.err)"
	cp first.err err
	expect_err ''

	for member in o other; do
		expect_status 0 njoin -q --overwrite-dumps -o joined $member
		same joined core
	done
	# It has released the file.
	expect_status 0 nsplit -q --overwrite-dumps core o
	expect_status 0 mkfakevmcore --overwrite-dumps -s 100000 o
	expect_status 0 mkfakevmcore -c -s 100000 o
	rm -f o other
done
