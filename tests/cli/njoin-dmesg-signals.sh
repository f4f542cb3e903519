#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A signal ends --dmesg in every phase and leaves no file; SIGUSR1, which requests progress, does
# not.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

make_core log
nsplit -q long a
nsplit -q empty b
njoin --dmesg a > want
mkfifo taker

# Nobody reads the output, so njoin waits in its write.
stopped() {
	signal=$1 want=$2
	exec 4<> taker
	njoin --dmesg -o taker a 2> err &
	pid=$!
	head -c 1 <&4 > begun
	# The only place where it sleeps is the write.  The loop is bounded, in case it never gets
	# there or does not end.
	i=0
	until grep -q '^State:.S' /proc/$pid/status; do
		i=$((i + 1))
		[ $i -lt 2400 ] || { kill -s KILL $pid; fail "$signal: it does not wait"; }
		sleep 0.05
	done
	kill -s "$signal" $pid
	i=0
	while runs $pid && [ $i -lt 2400 ]; do
		i=$((i + 1))
		sleep 0.05
	done
	[ $i -lt 2400 ] || { kill -s KILL $pid; fail "$signal: it continues"; }
	expect_end "$want" $pid "$signal"
	exec 4>&-
	expect_err ""
}

stopped TERM 143
hup_ignored || stopped HUP 129

# SIGUSR1: there is no progress to report, and no harm.
njoin --dmesg a > taker 2> err &
pid=$!
exec 4< taker
head -c 1 <&4 > told
kill -s USR1 $pid
cat <&4 >> told
exec 4<&-
wait $pid || fail "SIGUSR1: status $?: $(cat err)"
expect_err ""
same told want

# With a file as output, it checks for signals when it reads, not only when it writes.  Here one is
# pending from the start, and the log has nothing to write.
need python3
cat > held.py << 'END'
import os, signal

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
os.kill(os.getpid(), signal.SIGTERM)
os.execvp("njoin", ["njoin", "--dmesg", "-o", "new", "b"])
END
python3 held.py 2> err &
pid=$!
expect_end 143 $pid "a file"
expect_err ""
[ "$(find . -name 'new*')" = "" ] || fail "something is left: $(ls)"
