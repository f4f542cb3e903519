#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A blocked standard error, such as a pipe that nobody reads or a stopped terminal, delays neither a
# capture nor a signal nor --sink-timeout.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 3000000 -p random core

# full_pipe NAME DESCRIPTOR: makes a pipe that is open for reading and full
full_pipe() {
	rm -f "$1"
	mkfifo "$1"
	eval "exec $2<> $1"
	# Until a write would block.
	dd if=/dev/zero of="$1" bs=4096 count=100000 oflag=nonblock 2> dd.err || true
	grep -q 'temporarily unavailable' dd.err || fail "$1 is not full: $(cat dd.err)"
}
full_pipe stuck 4

# ends STATUS WHAT: the process $pid ends with STATUS; otherwise it is killed
ends() {
	tries=0
	while runs "$pid"; do
		tries=$((tries + 1))
		if [ $tries -eq 600 ]; then
			kill -s KILL "$pid"
			fail "$2: it does not end"
		fi
		sleep 0.1
	done
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq "$1" ] || fail "$2: status $status and not $1"
}

# SIGUSR1 and then SIGTERM, in a capture whose source stops delivering.
mkfifo source
for engine in --serial -j1 -j4; do
	rm -f a b
	nsplit -c $engine --stripe --chunksize=16K --progress=always source a b 2> stuck &
	pid=$!
	exec 3> source
	head -c 600000 core >&3
	for member in a b; do
		wait_for at_least 4097 $member
	done
	kill -s USR1 "$pid"
	sleep 0.2
	kill -s TERM "$pid"
	ends 143 "SIGTERM, $engine"
	exec 3>&-
	closed a b
done

# -v prints many lines before the capture, and 200 outputs cause many at the end.
rm -f a b
nsplit -v --progress=always core a b 2> stuck &
pid=$!
ends 0 'a capture'
expect_status 0 njoin -q -o copy a b
same copy core
rm -f copy

outputs=$(seq 200 | sed 's/^/null_a_long_name_that_fills_the_memory_for_messages_/')
for output in $outputs; do : > "$output"; done
# One word an output.
# shellcheck disable=SC2086
nsplit --overwrite-dumps --progress=always core $outputs /dev/full 2> stuck &
pid=$!
ends 0 'a report'
rm -f null_*

# An output that hangs is given up nevertheless.
rm -f a b
# The pipe has space for the superblock.
mkfifo pipe
exec 5<> pipe
dd if=/dev/zero bs=4096 count=15 >&5 2> dd.err
nsplit --chunksize=128K --sink-timeout=1 --progress=always core a pipe b 2> stuck &
pid=$!
ends 0 --sink-timeout
expect_status 0 njoin -q -o copy a b
same copy core
exec 5<&-

# njoin: a member that is incomplete.
head -c 600000 a > part
mkfifo member
njoin --progress=always -j2 --salvage -o copy2 member b 2> stuck &
pid=$!
exec 3> member
cat part >&3
kill -s USR1 "$pid"
sleep 0.2
kill -s TERM "$pid"
ends 143 'njoin'
exec 3>&-
absent copy2
