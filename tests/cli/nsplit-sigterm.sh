#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# After SIGTERM, nsplit closes the members and dies of the signal; likewise SIGHUP.  A signal to the
# whole group, as terminals and timeout(1) send it, is one request.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfifo source
mkfakevmcore -s 60000 data

# signal_taken: the first process has handled all signals: none is pending, and it waits for the
# next
signal_taken() {
	grep -q '^ShdPnd:[[:space:]]*0*$' "/proc/$pid/status" &&
		grep -q '^State:[[:space:]]*S' "/proc/$pid/status"
}

# signal_group: signals the whole group; the second process is stopped until the first one has passed the signal on, which is
# already pending there.
signal_group() {
	child=$(cat "/proc/$pid/task/$pid/children")
	# One word a child.
	# shellcheck disable=SC2086
	kill -s STOP $child
	kill -s "$signal" -- "-$pid"
	wait_for signal_taken
	# shellcheck disable=SC2086
	kill -s CONT $child
}

# stopped SIGNAL STATUS OPTION...: a source that stops delivering, and a signal
stopped() {
	signal=$1 want=$2
	shift 2
	rm -f a b
	$session nsplit -c --stripe --chunksize=16K --progress=never "$@" source a b 2> err &
	pid=$!
	exec 3> source
	cat data >&3
	# Both contain records, so the capture is running.
	for member in a b; do
		wait_for still_at_least "$pid" 4097 $member
	done
	if [ -n "$session" ]; then
		signal_group
	else
		kill -s "$signal" "$pid"
	fi
	expect_end "$want" $pid "$signal"
	exec 3>&-
	closed a b
	for member in a b; do
		# The flag "stopped": doc/format.md, section 9.
		flags=$(tail -c 4096 "$member" | dd bs=1 skip=496 count=1 2> dd.err | od -An -tu1)
		[ "$flags" -eq 1 ] || fail "$signal: $member says flags $flags"
	done
	grep -q ': closing the members$' err || fail "$signal: $(cat err)"
}

session=
for engine in --serial -j1 -j4; do
	stopped TERM 143 $engine
	hup_ignored || stopped HUP 129 $engine
done

need setsid
[ -r "/proc/$$/task/$$/children" ] || skip 'this kernel does not list the children of a process'
session=setsid
stopped TERM 143 -j2
