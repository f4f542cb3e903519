#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGTERM while njoin writes, or copies a stream: it dies of the signal and leaves no file.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject njoin
mkfakevmcore -s 3000000 core
nsplit -q -c --chunksize=64K core member
mkfifo stream
mkdir d

# slowly RULE OPTION: in the background
slowly() {
	env INJECT="$1" LD_PRELOAD="$inject" ASAN_OPTIONS=verify_asan_link_order=0 njoin -q -o d/new "$2" member 2> err &
	pid=$!
}

# until_begun: waits until njoin has written a part of its output
until_begun() {
	until [ -n "$(ls -A d)" ]; do
		kill -0 "$pid" 2> kill.err || fail "it ended by itself: $(cat err)"
		sleep 0.05
	done
}

# stopped SIGNAL STATUS OPTION
stopped() {
	signal=$1 want=$2
	slowly pread:member:8-:slow=300 "$3"
	until_begun
	[ ! -e d/new ] || fail "it has its final name before it is complete"
	kill -s "$signal" "$pid"
	expect_end "$want" $pid "$signal"
	[ -z "$(ls -A d)" ] || fail "$signal: something is left: $(ls -A d)"
	expect_err ""
}

stopped TERM 143 -j1
stopped TERM 143 -j4
hup_ignored || stopped HUP 129 -j2
stopped TERM 143 --salvage

njoin -q -o d/new stream 2> err &
pid=$!
exec 3> stream
# More than a pipe holds.
head -c 200000 member >&3
kill -s TERM $pid
expect_end 143 $pid "a stream"
exec 3>&-
[ -z "$(ls -A d)" ] || fail "a stream: something is left: $(ls -A d)"

# Nobody reads the output, so njoin waits in its write; there is no file to remove.
mkfifo taker
exec 4<> taker
njoin -q -o taker member 2> err &
pid=$!
head -c 1 <&4 > begun
kill -s TERM $pid
expect_end 143 $pid "a pipe that is full"
exec 4>&-
expect_err ""

# SIGUSR1 only requests a progress line.
slowly pread:member:8-14:slow=300 -j1
until_begun
kill -s USR1 $pid
until [ -s err ]; do
	kill -0 $pid 2> kill.err || fail "SIGUSR1 ended it"
	sleep 0.05
done
wait $pid || fail "SIGUSR1: status $?: $(cat err)"
same d/new core
grep -q '^njoin: .* read, .*/s$' err || fail "SIGUSR1: $(cat err)"
