#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Small members whose cores would cause endless work: every program ends within a limit of CPU time
# and writes a limited amount of data.
# shellcheck source=tests/cli/mount-lib.sh
. "${srcdir:?}/tests/cli/mount-lib.sh"
long_test
need python3

# A sanitizer build takes a tenth of this.  Without limits in the programs, these took minutes to
# hours.
cpu_seconds=8
file_blocks=100000		# of 512 bytes; those of holes do not count
mkdir mnt

# dash and bash both have ulimit -t.
# shellcheck disable=SC3045
limit_cpu() {
	ulimit -t $cpu_seconds
}

# within COMMAND...: it ends by itself, with any status; its output is in out and err
within() {
	status=0
	(limit_cpu && exec "$@") > out 2> err || status=$?
	[ $status -le 3 ] || fail "$kind: $*: status $status: $(cat err)"
}

# written_at_most BLOCKS FILE: the file takes no more, or does not exist
written_at_most() {
	[ ! -e "$2" ] || [ "$(stat -c %b "$2")" -le "$1" ] ||
		fail "$kind: $2 takes $(stat -c %b "$2") blocks"
}

mounted_reading() {
	status=0
	(limit_cpu && exec nsplit-mount -f -d 31 member mnt) > out 2> err &
	pid=$!
	until [ -e mnt/vmcore ]; do
		if ! kill -0 $pid 2> kill.err; then
			wait $pid || status=$?
			[ $status -le 3 ] || fail "$kind: nsplit-mount: status $status: $(cat err)"
			return
		fi
		sleep 0.05
	done
	if [ -e mnt/vmcore.kdump ]; then
		head -c 10000000 mnt/vmcore.kdump > some || fail "$kind: vmcore.kdump: $(cat err)"
		tail -c 1000000 mnt/vmcore.kdump > some || fail "$kind: vmcore.kdump: $(cat err)"
	fi
	unmount mnt
	wait $pid || status=$?
	[ $status -le 3 ] || fail "$kind: nsplit-mount: status $status: $(cat err)"
}

mount_too=
[ ! -x "$builddir/nsplit-mount" ] || [ ! -c /dev/fuse ] || [ "$(id -u)" -ne 0 ] || mount_too=1

for kind in notes notes-big memory high segments aliases log map; do
	python3 -B "$srcdir/tests/cli/hostile-cores.py" $kind core
	expect_status 0 nsplit -q --overwrite-dumps core member
	# Whatever cannot be understood is captured.
	for threads in -j2 --serial; do
		within nsplit -q --overwrite-dumps $threads -d 31 core left1 left2
		[ $status -eq 0 ] || fail "$kind: nsplit -d 31: status $status: $(cat err)"
		cat err >> warnings
		expect_status 0 njoin -q --verify left1 left2
	done
	within njoin --list member
	within njoin --dmesg member
	within njoin --verify member
	within njoin -q --format=kdump -o dump member
	within njoin -q --overwrite-dumps --format=kdump -d 31 -o dump member
	written_at_most $file_blocks dump
	[ -z "$mount_too" ] || mounted_reading
	rm -f dump core member left1 left2
done
