#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Commands that hang are given up and ended.  When nsplit is asked to stop, commands receive
# complete members; a signal to nsplit's process group does not reach them.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need setsid
mkfakevmcore -s 3000000 -p random core
head -c 60000 core > data

# gone FILE...: the processes whose ids are in these files have ended
gone() {
	for file; do
		wait_for process_gone "$(cat "$file")"
	done
	rm -f "$@"
}

# The command reads nothing, and the pipe is smaller than its share.
expect_status 0 nsplit -q -j2 --stripe --chunksize=64K --sink-timeout=3 core a \
	'|sleep 1000 & echo $! > child; echo $$ > pid; wait'
expect_err "nsplit: |sleep 1000 & echo \$! > child; echo \$\$ > pid; wait: no answer for 3 s; given up, continuing on 1 output"
gone pid child
closed a
expect_status 0 njoin -q -o copy a
same copy core
# It reads everything, but does not end.
rm -f a copy
expect_status 0 nsplit -q -j2 --sink-timeout=3 data '|cat > a' '|echo $$ > pid; cat > b; sleep 1000'
expect_err "nsplit: |echo \$\$ > pid; cat > b; sleep 1000: no answer for 3 s; given up, continuing on 1 output"
gone pid
closed a
# It is the only output.
expect_status 1 nsplit -q -j1 --sink-timeout=3 data '|echo $$ > pid; cat > b; sleep 1000'
expect_err "nsplit: |echo \$\$ > pid; cat > b; sleep 1000: no answer for 3 s; given up, no output is left
nsplit: nothing was captured: every output failed"
gone pid

mkfifo source
# stopped SIGNAL STATUS OPTION...: a source that stops delivering, and a signal to the process group
stopped() {
	signal=$1 want=$2
	shift 2
	rm -f a b
	setsid nsplit -c --stripe --chunksize=16K --progress=never "$@" source \
		'|echo $$ > pid; cat > a; sleep .3; echo ended > a.end' '|cat > b' 2> err &
	pid=$!
	exec 3> source
	cat data >&3
	for member in a b; do
		wait_for still_at_least "$pid" 4097 $member
	done
	kill -s "$signal" -- "-$pid"
	expect_end "$want" $pid "$signal"
	exec 3>&-
	closed a b
	[ "$(cat a.end)" = ended ] || fail "$signal: the command was not allowed to end"
	gone pid
	rm a.end
	grep -q ': closing the members$' err || fail "$signal: $(cat err)"
	! grep -q 'given up' err || fail "$signal: $(cat err)"
}

for engine in --serial -j1 -j4; do
	stopped TERM 143 $engine
	hup_ignored || stopped HUP 129 $engine
done

# If nsplit is killed, no command is left: each reads the end of its input.
rm -f a
nsplit -q -j2 --chunksize=16K source '|echo $$ > pid; cat > a' 2> err &
pid=$!
exec 3> source
cat data >&3
wait_for still_at_least "$pid" 4097 a
kill -s KILL "$pid"
expect_end 137 $pid SIGKILL
exec 3>&-
gone pid
expect_status 3 njoin -q --salvage -o copy a
