# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the capture kernel: takes /proc/vmcore with each codec to files on the disks
# file0 to file3, and to bare devices called after the codec's option (c0 to c3, and so on),
# whichever are there.  The truth is the SHA-256 of /proc/vmcore, taken here as well; the
# host puts the members together and compares.

same 'CPUs of the capture kernel' "$(nproc)" "$(cat /cpus)"
note "$(awk '/^Mem(Total|Avail)/ { print $1, $2, $3 }' /proc/meminfo)"
for disk in /disk/file*; do
	[ -e "$disk" ] || continue
	mkdir "/mnt/${disk#/disk/file}"
	mount -t ext4 "$disk" "/mnt/${disk#/disk/file}"
done
while read -r codec options; do
	# Options are words of their own.
	# shellcheck disable=SC2086
	[ ! -e /disk/file0 ] || try "nsplit -$codec $options to four files" \
		quiet_exit 0 nsplit -q "-$codec" $options /proc/vmcore "/mnt/{0..3}/$codec"
	# shellcheck disable=SC2086
	[ ! -e "/disk/${codec}0" ] || try "nsplit -$codec $options to four devices" \
		quiet_exit 0 nsplit -q -f "-$codec" $options --stats=/tmp/stats \
		/proc/vmcore "/disk/$codec{0..3}"
done < /captures
note "peak memory of the last: $(sed -n 's/^  "peak_memory": \([0-9]*\).*/\1/p' /tmp/stats) bytes"
value size "$(stat -c %s /proc/vmcore)"
value sha256 "$(sha256sum < /proc/vmcore | cut -d ' ' -f 1)"
[ ! -e /figures.sh ] || . /figures.sh
[ ! -e /disk/file0 ] || umount /mnt/*
