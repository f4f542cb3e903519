#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGUSR1 prints a line of progress at once, and nothing stops.
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
	# A record shows that it is at work.
	until [ -e member ] && [ "$(wc -c < member)" -gt 4096 ]; do sleep 0.05; done
	kill -s USR1 "$pid"
	tries=0
	until [ -s err ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 400 ] || fail "no line comes"
		sleep 0.05
	done
	tail -c +40001 data >&3
	exec 3>&-
	wait "$pid" || fail "status $?: $(cat err)"
	grep -qx 'nsplit: [0-9.]* [KM]*i*B, [0-9.]* [KM]*i*B written, .*/s, ratio [0-9.]*' err ||
		fail "$(cat err)"
	[ "$(wc -l < err)" -eq 1 ] || fail "more than one line: $(cat err)"
	closed member
done
