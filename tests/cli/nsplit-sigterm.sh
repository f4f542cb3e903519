#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGTERM closes the members, and is what nsplit dies of; SIGHUP likewise.  A signal to the
# whole group, as terminals and timeout(1) send it, is one request.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfifo source
mkfakevmcore -s 60000 data

# The first process has dealt with all signals: none is pending, and it waits for the next.
signal_taken() {
	grep -q '^ShdPnd:[[:space:]]*0*$' "/proc/$pid/status" &&
		grep -q '^State:[[:space:]]*S' "/proc/$pid/status"
}

# To the group: the second process is held until the first one has passed the signal on, which
# finds it pending there already.
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

# stopped SIGNAL STATUS OPTION...: a source that gives no more, and a signal
stopped() {
	signal=$1 want=$2
	shift 2
	rm -f a b
	$session nsplit -c --stripe --chunksize=16K --progress=never "$@" source a b 2> err &
	pid=$!
	exec 3> source
	cat data >&3
	# Records in both show that it is at work.
	for member in a b; do
		wait_for still_at_least "$pid" 4097 $member
	done
	if [ -n "$session" ]; then
		signal_group
	else
		kill -s "$signal" "$pid"
	fi
	status=0
	wait "$pid" || status=$?
	exec 3>&-
	[ "$status" -eq "$want" ] || fail "$signal: status $status and not $want: $(cat err)"
	closed a b
	for member in a b; do
		# The flag that says stopped: doc/format.md, section 7.
		flags=$(tail -c 4096 "$member" | dd bs=1 skip=472 count=1 2> dd.err | od -An -tu1)
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
[ -r "/proc/$$/task/$$/children" ] || skip 'this kernel does not tell the children of a process'
session=setsid
stopped TERM 143 -j2
