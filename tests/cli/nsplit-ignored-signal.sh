#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A signal that was ignored when nsplit was started stays so, and is no first request to stop.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfifo source
mkfakevmcore -s 60000 data

for engine in --serial -j2; do
	rm -f a
	(trap '' HUP && exec nsplit -q -c --chunksize=16K $engine source a 2> err) &
	pid=$!
	exec 3> source
	cat data >&3
	until [ -e a ] && [ "$(wc -c < a)" -gt 4096 ]; do
		kill -0 $pid || fail "it ended by itself: $(cat err)"
		sleep 0.05
	done
	kill -s HUP $pid
	sleep 1.2
	kill -s HUP $pid
	sleep 0.2
	kill -0 $pid || fail "$engine: an ignored signal ended it: $(cat err)"
	kill -s TERM $pid
	status=0
	wait $pid || status=$?
	exec 3>&-
	[ $status -eq 143 ] || fail "$engine: status $status: $(cat err)"
	expect_err "nsplit: Terminated: closing the members"
	closed a
done
