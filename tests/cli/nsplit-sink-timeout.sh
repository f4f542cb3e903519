#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An output that hangs is given up, and the copy is complete without it.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 3000000 -p random core
# A reader opens the pipe before nsplit starts, and never reads.  The pipe has space only for the
# superblock, so nsplit cannot write a record to it: on a busy machine, the other outputs might
# otherwise take all chunks before this one takes any.
new_pipe() {
	mkfifo pipe
	exec 3<> pipe
	dd if=/dev/zero bs=4096 count=15 >&3 2> dd.err
}
new_pipe

# Makes a new pipe.  The old one still holds the data of the last capture as long as that capture's
# second process, which was killed, has not ended.
empty_again() {
	exec 3<&-
	rm pipe
	new_pipe
}

# wait_for_a: until a contains most of what it can
wait_for_a() {
	wait_for still_at_least "$pid" 1500000 a
}

expect_status 0 nsplit -q --chunksize=128K --sink-timeout=3 core a pipe b
expect_err 'nsplit: pipe: no answer for 3 s; given up, continuing on 2 outputs'
expect_status 0 njoin -q -o copy a b
same copy core

# A pipe without space for the superblock.
rm a b copy
empty_again
dd if=/dev/zero bs=4096 count=1 >&3 2> dd.err
for input in core -; do
	expect_status 0 nsplit -q --overwrite-dumps --chunksize=128K --sink-timeout=3 "$input" a pipe b < core
	expect_err 'nsplit: pipe: no answer for 3 s; given up, continuing on 2 outputs'
	expect_status 0 njoin -q --overwrite-dumps -o copy a b
	same copy core
done

# From a stream: what the pipe took is lost, but not the chunk in whose write it hung.
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

# After a request to stop, nsplit does not wait for it either: it closes the others and dies of the
# signal.
for engine in -j1 -j3; do
	rm -f a
	empty_again
	nsplit -q "$engine" --chunksize=64K --sink-timeout=3 core pipe a 2> err &
	pid=$!
	wait_for_a
	kill -s TERM "$pid"
	expect_end 143 $pid SIGTERM
	closed a
	grep -q '^nsplit: pipe: no answer for 3 s; given up, continuing on 1 output$' err ||
		fail "SIGTERM: $(cat err)"
done

# After a second request it ends at once; two requests within a second are one.  So it ends, but not
# within a second of the first request; a busy machine can only make this longer.
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
# /proc/uptime has steps of 10 ms.
[ $(($(uptime_ms) - asked)) -ge 980 ] || fail "it gave up at the first request: $(cat err)"
expect_end 143 $pid "the second SIGTERM"

for wrong in -1 1s '' .5 1e3 0.01 2000000; do
	expect_status 2 nsplit --sink-timeout="$wrong" core a
done
expect_err "nsplit: --sink-timeout 2000000 is out of range; use 0.1 to 1000000 seconds, or 0
Try 'nsplit --help' for more information."
