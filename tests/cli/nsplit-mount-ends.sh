#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A mount ends by fusermount3 -u or by a signal, and leaves nothing behind.
# shellcheck source=tests/cli/mount-lib.sh
. "${srcdir:?}/tests/cli/mount-lib.sh"
need_fuse

mkfakevmcore -s 3000000 core
nsplit -q -c --chunksize=64K core a b
mkdir mnt

# ended WHAT: nsplit-mount has ended with status 0, and nothing is mounted
ended() {
	expect_end 0 $pid "$1"
	expect_err ""
	[ -z "$(ls -A mnt)" ] || fail "$1: something is left: $(ls -A mnt)"
}

begin() {
	nsplit-mount -f a b mnt 2> err &
	pid=$!
	until_mounted $pid mnt/vmcore
}

# Not SIGINT: a process that a shell starts in the background ignores it.
for signal in TERM HUP; do
	[ $signal != HUP ] || ! hup_ignored || continue
	begin
	same mnt/vmcore core
	kill -s $signal $pid
	ended SIG$signal
done

begin
head -c 100000 mnt/vmcore > part
unmount mnt
ended fusermount3

# While a process has the file open: its reads fail, and it does not prevent the end.
begin
exec 3< mnt/vmcore
head -c 4096 <&3 > part
kill -s TERM $pid
expect_end 0 $pid "in use"
if cat <&3 > part 2> refused; then
	fail "read on without nsplit-mount"
fi
exec 3<&-
[ -z "$(ls -A mnt)" ] || fail "something is left: $(ls -A mnt)"

# A signal to the command while it goes into the background, when it has mounted but may not be
# ready: it stays mounted if and only if the status says so.
is_mounted() {
	grep -q " $PWD/mnt " /proc/self/mounts
}
for turn in 1 2 3 4 5 6 7 8; do
	nsplit-mount a b mnt 2> err &
	pid=$!
	until is_mounted; do
		kill -0 $pid 2> kill.err || break
	done
	# It may have ended already.
	kill -s TERM $pid 2> kill.err || :
	status=0
	wait $pid || status=$?
	if [ $status -eq 0 ]; then
		same mnt/vmcore core
		unmount mnt
	fi
	tries=0
	while is_mounted; do
		tries=$((tries + 1))
		[ $tries -lt 1000 ] || fail "turn $turn: status $status, and it is mounted"
		sleep 0.01
	done
done

# In the background, from a directory that is removed, with a relative name.
mkdir place
cd place
expect_status 0 nsplit-mount ../a ../b ../mnt
expect_out ""
expect_err ""
cd ..
rm -r place
same mnt/vmcore core
# A second mount would hide it.
expect_status 2 nsplit-mount a b mnt
expect_err "nsplit-mount: mnt: a file system is mounted there already; unmount it, or use another directory"
same mnt/vmcore core
unmount mnt
[ -z "$(ls -A mnt)" ] || fail "something is left: $(ls -A mnt)"
