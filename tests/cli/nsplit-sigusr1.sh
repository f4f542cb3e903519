#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGUSR1 prints a progress line at once, and the capture continues.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfifo source
mkfakevmcore -s 60000 data

for engine in --serial -j2; do
	rm -f member
	nsplit -q $engine --chunksize=4K source member 2> err &
	pid=$!
	exec 3> source
	head -c 40000 data >&3
	# There is a record, so the capture is running.
	wait_for still_at_least "$pid" 4097 member
	kill -s USR1 "$pid"
	wait_for [ -s err ]
	tail -c +40001 data >&3
	exec 3>&-
	wait "$pid" || fail "status $?: $(cat err)"
	grep -qx 'nsplit: [0-9.]* [KM]*i*B, [0-9.]* [KM]*i*B written, .*/s, ratio [0-9.]*' err ||
		fail "$(cat err)"
	[ "$(wc -l < err)" -eq 1 ] || fail "more than one line: $(cat err)"
	closed member
done
