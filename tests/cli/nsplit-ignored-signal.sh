#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A signal that was ignored when nsplit started stays ignored, and does not count as the first
# request to stop.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfifo source
# Random data does not shrink: the first and second part are seven chunks.
mkfakevmcore -s 60000 -p random data

for engine in --serial -j2; do
	rm -f a
	(trap '' HUP && exec nsplit -q -c --chunksize=16K $engine source a 2> err) &
	pid=$!
	exec 3> source
	cat data >&3
	wait_for still_at_least $pid 49152 a
	kill -s HUP $pid
	# The capture continues: after a request to stop, nsplit would not take more data.
	cat data >&3
	wait_for still_at_least $pid 114688 a
	# It does not count as the first of two requests, the second of which ends nsplit at once.
	hup_ignored /proc/$pid || fail "$engine: SIGHUP is not ignored any more"
	for child in $(cat /proc/$pid/task/*/children); do
		hup_ignored /proc/$child || fail "$engine: the second process does not ignore SIGHUP"
	done
	kill -s TERM $pid
	expect_end 143 $pid "$engine"
	exec 3>&-
	expect_err "nsplit: Terminated: closing the members
nsplit: the dump is incomplete; njoin --salvage restores what the members hold"
	closed a
done
