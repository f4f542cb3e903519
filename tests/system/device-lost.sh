#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A block device that is lost during the capture is given up; the others have everything.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

need python3
mkfakevmcore -s 8M -p random core

# disk: makes a device on a file in an ext4 of its own, which can be shut down
disk() {
	make_ext4 under 64M
	truncate -s 16M under/disk
	make_loop under/disk
	device=$loop
}

# pulled: removes all of that
pulled() {
	retry loop_off under/disk
	umount under
	rmdir under
	rm under.image
}

has_record() {
	[ "$(dd if="$device" bs=4096 skip=1 count=1 2> dd.err | head -c 8)" = nsplitRC ]
}

# lost_during MESSAGE COMMAND...: COMMAND makes the device fail during the capture, which says MESSAGE
# of it.  Nobody reads the pipe until then, which stops the capture in the middle, since it is striped.
lost_during() {
	message=$1
	shift
	for direct in auto never; do
		disk
		rm -f other pipe
		mkfifo pipe
		nsplit -q --overwrite-dumps --stripe --chunksize=64K --direct=$direct core "$device" other pipe 2> err &
		nsplit=$!
		kill_at_exit $nsplit
		exec 3< pipe
		wait_for has_record
		"$@"
		cat <&3 > piped
		exec 3<&-
		expect_end 0 $nsplit "$direct"
		expect_err "nsplit: $device: $message; given up, continuing on 2 outputs"
		expect_joined core other piped
		pulled
	done
}

# removed: a device that is removed has a size of 0 then; it is not full
removed() {
	truncate -s 0 under/disk
	losetup -c "$device"
}

lost_during 'Input/output error' lose under
lost_during 'No such device' removed

# Before the capture: the contents of the device cannot be read.
disk
lose under
expect_status 0 nsplit -q --overwrite-dumps core "$device" other
expect_err "nsplit: $device: Input/output error; given up, continuing on 1 output"
expect_joined core other
pulled

# Without direct I/O the writes succeed: the fsync after the device was cleared fails.
for direct in auto never; do
	disk
	lose under
	rm -f other
	expect_status 0 nsplit -q --overwrite-dumps --overwrite-devices --stripe --direct=$direct --stats=stats core "$device" other
	expect_err "nsplit: $device: Input/output error; given up, continuing on 1 output"
	expect_joined core other
	python3 - << 'END' || fail "the loss was detected late: $(cat stats)"
import json

lost = json.load(open("stats"))["sinks"][0]
assert lost["state"] == "failed" and lost["records"] == 0, lost
END
	expect_status 1 nsplit -q --overwrite-dumps --direct=$direct core "$device"
	expect_err "nsplit: $device: Input/output error; given up, no output is left
nsplit: nothing was captured: every output failed"
	pulled
done
