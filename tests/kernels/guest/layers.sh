# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the capture kernel: captures /proc/vmcore once more, to two disks, and leaves pages out.  The second
# disk is removed in the middle of it, as if somebody pulled it out.  The host judges the result.

# When this much was written to the disk, in sectors of 512 bytes.  It would be some 20 MiB.
layers_sectors=8192

# pulled_out DISK COMMAND...: removes the disk while the command writes to it
pulled_out() {
	pulled_disk=$(readlink "/disk/$1")
	pulled_disk=/sys/block/${pulled_disk##*/}
	pulled_bus=$(readlink -f "$pulled_disk/device/..")
	shift
	"$@" &
	pulled_pid=$!
	pulled_written=0
	while [ "$pulled_written" -lt $layers_sectors ] && kill -0 $pulled_pid 2> /dev/null; do
		read -r _ _ _ _ _ _ pulled_written _ < "$pulled_disk/stat"
	done
	# So that it does not end before that.
	kill -STOP $pulled_pid || {
		echo 'the capture ended before the disk was removed'
		return 1
	}
	echo 1 > "$pulled_bus/remove"
	kill -CONT $pulled_pid
	wait $pulled_pid
}

try layers pulled_out layers1 nsplit -f -c -j2 -d 31 /proc/vmcore /disk/layers0 /disk/layers1
cp /tmp/said /tmp/results/layers-said
# What the removed disk held was captured again, to the other one.
try layers_alone njoin -q --verify /disk/layers0
