#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An output that hangs is given up, and the copy is perfect without it.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 3000000 -p random core
# A reader that has the pipe open before nsplit is started, and never reads.  There is room for the
# superblock and for nothing else: on a busy machine the other outputs may have taken all chunks
# before this one comes to take any.
new_pipe() {
	mkfifo pipe
	exec 3<> pipe
	dd if=/dev/zero bs=4096 count=15 >&3 2> dd.err
}
new_pipe

# A pipe that still holds what the last run wrote takes not even a superblock; and it holds that as
# long as the last run's second process, which was killed, is not quite gone.  So: a new one.
empty_again() {
	exec 3<&-
	rm pipe
	new_pipe
}

# Most of what a can have is there.
wait_for_a() {
	wait_for still_at_least "$pid" 1500000 a
}

expect_status 0 nsplit -q --chunksize=128K --sink-timeout=3 core a pipe b
expect_err 'nsplit: pipe: no answer for 3 s; given up, continuing on 2 outputs'
expect_status 0 njoin -q -o copy a b
same copy core

# A pipe that takes not even the superblock.
rm a b copy
empty_again
dd if=/dev/zero bs=4096 count=1 >&3 2> dd.err
for input in core -; do
	expect_status 0 nsplit -q -f --chunksize=128K --sink-timeout=3 "$input" a pipe b < core
	expect_err 'nsplit: pipe: no answer for 3 s; given up, continuing on 2 outputs'
	expect_status 0 njoin -q -f -o copy a b
	same copy core
done

# From a stream: what the pipe took is gone, but not the chunk that it hung at.
rm -f a b copy
empty_again
dd if=core bs=64k 2> dd.err | {
	status=0
	nsplit -q --stripe --chunksize=64K --sink-timeout=3 - pipe a 2> err || status=$?
	echo $status > status
}
[ "$(cat status)" -eq 0 ] || fail "status $(cat status): $(cat err)"
expect_err 'nsplit: pipe: no answer for 3 s; given up, continuing on 1 output'

# The only output.
empty_again
expect_status 1 nsplit -q -j3 --sink-timeout=3 core pipe
expect_err 'nsplit: pipe: no answer for 3 s; given up, no output is left
nsplit: nothing was captured: every output failed'

# Asked to stop, it does not wait for it either, closes the others, and dies of the signal.
for engine in -j1 -j3; do
	rm -f a
	empty_again
	nsplit -q "$engine" --chunksize=64K --sink-timeout=3 core pipe a 2> err &
	pid=$!
	wait_for_a
	kill -s TERM "$pid"
	status=0
	wait "$pid" || status=$?
	[ $status -eq 143 ] || fail "SIGTERM: status $status: $(cat err)"
	closed a
	grep -q '^nsplit: pipe: no answer for 3 s; given up, continuing on 1 output$' err ||
		fail "SIGTERM: $(cat err)"
done

# Asked twice, it gives up at once; twice within a second is once.  So it ends, but not within a second
# of the first request: a machine that is busy can make this longer only.
uptime_ms() {
	awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime
}
rm -f a
empty_again
nsplit -q --chunksize=64K --sink-timeout=0 core pipe a 2> err &
pid=$!
wait_for_a
asked=$(uptime_ms)
ends_when_asked_again "$pid"
# The clock there has steps of 10 ms.
[ $(($(uptime_ms) - asked)) -ge 980 ] || fail "it gave up at the first request: $(cat err)"
status=0
wait "$pid" || status=$?
[ $status -eq 143 ] || fail "the second SIGTERM: status $status: $(cat err)"

for wrong in -1 1s '' .5 1e3 0.01 2000000; do
	expect_status 2 nsplit --sink-timeout="$wrong" core a
done
expect_err "nsplit: --sink-timeout 2000000 is out of range; it takes 0.1 to 1000000 seconds, or 0
Try 'nsplit --help' for more information."
