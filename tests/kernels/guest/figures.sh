# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the capture kernel: how long makedumpfile and nsplit take to save what dump level 31 keeps of
# /proc/vmcore to file systems on disks, one and two for nsplit, and how large the files are; for some
# machines also how long these and cp take to save all of it.  /figures says which: "31" or "all".  The
# rounds take turns, since emulation is noisy.  All times include a sync, without which makedumpfile leaves
# what it has written in memory.

rounds='1 2 3'

# now: prints the uptime in hundredths of a second
now() {
	cut -d ' ' -f 1 /proc/uptime | tr -d .
}

# busy: prints the nanoseconds in which the first CPU was not idle
busy() {
	awk '$1 == "cpu0" { print $8 }' /proc/schedstat
}

# timed NAME COMMAND...: appends the seconds that it takes, with a sync, to the file of that name, and
# writes the size of the files that it makes
timed() {
	timed_name=$1
	shift
	rm -f /tmp/disk0/* /tmp/disk1/*
	sync
	timed_busy=$(busy)
	timed_from=$(now)
	"$@" > /tmp/said 2>&1 || {
		echo "$* failed: $(tail -n 3 /tmp/said | tr '\n' ' ')" >> /tmp/results/figures
		return 1
	}
	sync
	awk -v n=$(($(now) - timed_from)) 'BEGIN { printf "%.2f\n", n / 100 }' >> "/tmp/$timed_name"
	awk -v n=$(($(busy) - timed_busy)) 'BEGIN { printf "%.3f\n", n / 1e9 }' >> "/tmp/$timed_name.cpu"
	find /tmp/disk0 /tmp/disk1 -type f -exec stat -c %s {} + | awk '{ sum += $1 } END { print sum }' \
		> "/tmp/$timed_name.size"
}

figures() {
	for disk in 0 1; do
		mkdir /tmp/disk$disk
		mount -t ext4 /disk/figures$disk /tmp/disk$disk
		rmdir /tmp/disk$disk/lost+found
	done
	for _ in $rounds; do
		if [ "$(cat /figures)" = all ]; then
			timed cp cp /proc/vmcore /tmp/disk0/vmcore
			timed makedumpfile makedumpfile -l -d 0 /proc/vmcore /tmp/disk0/vmcore
			timed nsplit nsplit -q -C lzo /proc/vmcore /tmp/disk0/a
		fi
		timed makedumpfile-31 makedumpfile -l -d 31 /proc/vmcore /tmp/disk0/vmcore
		timed nsplit-31 nsplit -q -C lzo -d 31 /proc/vmcore /tmp/disk0/a
		timed nsplit-31-kdump nsplit -q -C lzo -d 31 --format=kdump /proc/vmcore /tmp/disk0/a
		timed nsplit-31-2 nsplit -q -C lzo -d 31 /proc/vmcore /tmp/disk0/a /tmp/disk1/a
	done
	for name in cp makedumpfile nsplit makedumpfile-31 nsplit-31 nsplit-31-kdump nsplit-31-2; do
		# makedumpfile does not know all of the kernels.
		[ -s /tmp/$name ] || continue
		echo "$name $(sort -n /tmp/$name | sed -n 2p) s ($(tr '\n' ' ' < /tmp/$name))," \
			"CPU $(sort -n /tmp/$name.cpu | sed -n 2p) s, $(cat /tmp/$name.size) bytes"
	done >> /tmp/results/figures
	umount /tmp/disk0 /tmp/disk1
}

figures || :
