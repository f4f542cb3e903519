#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A blocked standard error delays neither the readers of a mounted file nor the end after a signal.
# shellcheck source=tests/cli/mount-lib.sh
. "${srcdir:?}/tests/cli/mount-lib.sh"
need_fuse

mkfakevmcore -s 3000000 -p random core
nsplit -q -c --stripe --chunksize=64K core a b
# In the middle of a record.
printf XXXXXXXX | dd of=b bs=1 seek=1000000 conv=notrunc 2> dd.err
mkdir mnt
mkfifo stuck
exec 4<> stuck
dd if=/dev/zero of=stuck bs=4096 count=100000 oflag=nonblock 2> dd.err || true
grep -q 'temporarily unavailable' dd.err || fail "the pipe is not full: $(cat dd.err)"

# ends WHAT: process $pid ends; otherwise it is killed
ends() {
	tries=0
	while runs "$pid"; do
		tries=$((tries + 1))
		if [ $tries -eq 300 ]; then
			kill -s KILL "$pid" "$mounting"
			fail "$1 does not end"
		fi
		sleep 0.1
	done
	status=0
	wait "$pid" || status=$?
}

nsplit-mount -f a b mnt 2> stuck &
mounting=$!
until_mounted $mounting mnt/vmcore
cat mnt/vmcore > copy 2> cat.err &
pid=$!
ends 'who reads the damaged file'
[ $status -ne 0 ] || fail 'the damage was not met'
grep -q 'Input/output error' cat.err || fail "$(cat cat.err)"
pid=$mounting
kill -s TERM "$pid"
ends nsplit-mount
[ $status -eq 3 ] || fail "status $status"
[ -z "$(ls -A mnt)" ] || fail "something is left: $(ls -A mnt)"
