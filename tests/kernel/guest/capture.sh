# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the capture kernel: captures /proc/vmcore with each codec to files on the disks file0 to file3,
# and to block devices named after the codec's option (c0 to c3, and so on), as far as these exist.
# The reference is the SHA-256 of /proc/vmcore, computed here; the host joins the members and
# compares.

same 'CPUs of the capture kernel' "$(nproc)" "$(cat /cpus)"
note "$(awk '/^Mem(Total|Avail)/ { print $1, $2, $3 }' /proc/meminfo)"
for disk in /disk/file*; do
	[ -e "$disk" ] || continue
	mkdir "/mnt/${disk#/disk/file}"
	mount -t ext4 "$disk" "/mnt/${disk#/disk/file}"
done
value booted yes
while read -r codec limit; do
	set -- -q "-$codec" --stats=/tmp/stats
	[ -z "$limit" ] || set -- "$@" "--mem-limit=${limit}M"
	[ ! -e /disk/file0 ] || try "nsplit -$codec to four files" \
		quiet_exit 0 nsplit "$@" /proc/vmcore "/mnt/{0..3}/$codec"
	[ ! -e "/disk/${codec}0" ] || try "nsplit -$codec to four devices" \
		quiet_exit 0 nsplit "$@" -f /proc/vmcore "/disk/$codec{0..3}"
	peak=$(sed -n 's/^  "peak_memory": \([0-9]*\).*/\1/p' /tmp/stats)
	note "nsplit -$codec: $peak bytes of memory"
	[ -z "$limit" ] || try "at most $limit MiB" [ "$peak" -le $((limit << 20)) ]
done < /captures
value size "$(stat -c %s /proc/vmcore)"
value sha256 "$(sha256sum < /proc/vmcore | cut -d ' ' -f 1)"
[ ! -e /figures.sh ] || . /figures.sh
[ ! -e /disk/file0 ] || umount /mnt/*
