#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A drill that is interrupted, or whose capture is killed, leaves nothing behind.
# shellcheck source=tests/cli/drill-lib.sh
. "${srcdir:?}/tests/cli/drill-lib.sh"

# start ARGUMENT...: in the background; its process id is in pid
start() {
	: > err
	nsplit --drill --drill-memory=60M --progress=never "$@" 2> err &
	pid=$!
	kill_at_exit $pid
}

# A command that reads nothing: the capture waits for it.
mkfifo gate
exec 9<> gate
start -c /proc/vmcore a '|read line < gate; cat > b'
wait_for still_at_least $pid 4096 a.drill
kill -s TERM $pid
echo go >&9
expect_end 143 $pid
drill_told
grep -q '^nsplit: Terminated: ' err || fail "$(cat err)"
tail -n 2 err > last
mv last err
expect_err "nsplit: drill: what 'read line < gate; cat > b' has stored is still there; remove it, or set drill-remove in nsplit.conf
nsplit: drill: interrupted"
absent a a.drill
rm b
no_group_left

# With drill-remove.
echo 'drill-remove = rm b' > conf
NSPLIT_CONFIG=$PWD/conf start -c /proc/vmcore a '|read line < gate; cat > b'
wait_for still_at_least $pid 4096 a.drill
kill -s TERM $pid
echo go >&9
expect_end 143 $pid
[ "$(tail -n 1 err)" = 'nsplit: drill: interrupted; what it had written was removed' ] || fail "$(cat err)"
absent a a.drill b
no_group_left

# By each signal that asks to stop, SIGHUP, SIGINT and SIGTERM; a terminal sends it to the whole group.
for signal in 1 2 15; do
	for whom in '' -; do
		rm -f another
		mkfifo another
		exec 7<> another
		# This shell starts it with SIGINT ignored, and nohup with SIGHUP.
		setsid env --default-signal=HUP,INT nsplit --drill --drill-memory=60M --progress=never -c /proc/vmcore a \
			'|read line < another; cat > /dev/null' 2> err &
		pid=$!
		kill_at_exit $pid
		wait_for still_at_least $pid 4096 a.drill
		kill -$signal -- $whom$pid
		echo go >&7
		expect_end $((128 + signal)) $pid "$signal $whom"
		case $(tail -n 1 err) in
		'nsplit: drill: interrupted'*) ;;
		*) fail "$signal: $(cat err)" ;;
		esac
		absent a a.drill
		no_group_left
	done
done

# SIGUSR1 is passed on.
start -c /proc/vmcore a '|read line < gate; cat > /dev/null'
wait_for still_at_least $pid 4096 a.drill
kill -s USR1 $pid
wait_for still_says $pid '^nsplit: .* of 16.0 MiB'
echo go >&9
expect_end 0 $pid
absent a a.drill

# children PID: the processes whose parent it is
children() {
	sed -n "s/^\([0-9]*\) (.*) [A-Z] $1 .*/\1/p" /proc/[0-9]*/stat 2> lib.stat || :
}

# The capture is killed, so it can tell nothing: its members have the UUID of the drill, and other files do not.
# Without a cgroup, the command outlives the capture, and with one it is killed: nobody may be reading.
mkfifo other
exec 8<> other
start -c /proc/vmcore a '|read line < other; cat > b' c
wait_for still_at_least $pid 4096 a.drill
wait_for still_at_least $pid 4096 c.drill
capture=$(children $pid)
rm c.drill
echo precious > c.drill
kill -s KILL "$capture"
echo go >&8
expect_end 1 $pid
drill_told
sed -i '/has stored is still there/d; /; CPUs: N$/d; /c.drill: was removed during the capture; given up/d' err
expect_err "nsplit: drill: c.drill: exists now, but was not removed, since it may not be of the drill
nsplit: drill failed: nothing was captured: the capture was ended by signal 9"
absent a a.drill
[ "$(cat c.drill)" = precious ] || fail 'a file of others was changed'
rm c.drill
no_group_left

# Dumps in other forms have no UUID.
if (need_inject nsplit); then
	for format in kdump elf; do
		LD_PRELOAD=$builddir/tests/faults/inject.so INJECT=pwrite:a.drill:3:hang ASAN_OPTIONS=verify_asan_link_order=0 \
			start --format=$format /proc/vmcore a
		wait_for still_at_least $pid 4096 a.drill
		kill -s KILL "$(children $pid)"
		expect_end 1 $pid
		grep -qx 'nsplit: drill failed: nothing was captured: the capture was ended by signal 9' err || fail "$(cat err)"
		! grep 'was not removed' err || fail "$format"
		absent a a.drill
		no_group_left
	done
fi

# A file that takes the place of that of the drill stays.
start -c /proc/vmcore a '|read line < gate; cat > /dev/null'
wait_for still_at_least $pid 4096 a.drill
mv a.drill moved
echo precious > a.drill
echo go >&9
expect_end 1 $pid
grep -qxF 'nsplit: drill: a.drill: exists now, but was not removed, since it may not be of the drill' err || fail "$(cat err)"
[ "$(cat a.drill)" = precious ] || fail 'a file of others was changed'
rm a.drill moved

# A crash while the drill runs finds the name of the dump free.
mkfakevmcore -s 3000000 core
start -c /proc/vmcore a '|read line < gate; cat > /dev/null'
wait_for still_at_least $pid 4096 a.drill
expect_status 0 nsplit -q -c core a
joined a
echo go >&9
expect_end 0 $pid
absent a a.drill
