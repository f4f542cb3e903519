# shellcheck shell=sh
# shellcheck disable=SC2154 # the settings
# SPDX-License-Identifier: GPL-2.0-or-later
# In the first kernel: fills memory with pages of every kind, writes down what the kernel itself says
# about them, and panics.

# The machine's own settings, from core_settings() of host/core.sh.
# shellcheck source=/dev/null
. /settings.sh

# Debian's 6.1 for arm64 does not list _text, without which kexec describes the image as a segment of
# almost 2^64 bytes.  It is 64 KiB before _stext.
list_text() {
	! grep -q ' _text$' /proc/kallsyms || return 0
	stext=$(sed -n 's/ . _stext$//p' /proc/kallsyms)
	printf '%x t _text\n' $((0x$stext - 65536)) > /tmp/kallsyms
	cat /proc/kallsyms >> /tmp/kallsyms
	mount --bind /tmp/kallsyms /proc/kallsyms
}

load_kdump() {
	list_text
	# shellcheck disable=SC2086 # options, perhaps none
	kexec $kexec_options -p /vmlinuz --initrd=/capture.cpio.gz --append="$append"
	[ "$(cat /sys/kernel/kexec_crash_loaded)" -eq 1 ]
	rm /vmlinuz /capture.cpio.gz
}

# Clean and dirty page cache, with and without buffers: the files of a file system.
files() {
	# Dirty pages must not be written while the kernel is asked what its pages are, however long that takes.
	echo 0 > /proc/sys/vm/dirty_writeback_centisecs
	mkdir -p /data
	mount -t ext4 /disk/data /data
	cat /data/*.file > /dev/null
	dd if=/dev/zero of=/data/dirty bs=1M count=4 2> /dev/null
	# Many inodes and directory entries: slab.
	mkdir /data/many
	seq 2000 | (cd /data/many && xargs touch)
}

shared_memory() {
	mkdir -p /shm /shm-huge
	mount -t tmpfs shm /shm
	dd if=/data/1.file of=/shm/file bs=1M count=8 2> /dev/null
	mount -t tmpfs -o huge=always shm /shm-huge
	dd if=/data/1.file of=/shm-huge/file bs=4M count=2 2> /dev/null
}

# A disk for swap, since pages that are read back from zram are not in the swap cache; and zram for its
# own pages.
swap() {
	mkswap /disk/swap > /dev/null
	swapon /disk/swap
	[ -e /dev/zram0 ] || return 0
	echo 32M > /sys/block/zram0/disksize
	dd if=/data/1.file of=/dev/zram0 bs=1M count=4 2> /dev/null
}

# Small machines have none by default.
huge_pages() {
	for name in enabled shmem_enabled; do
		[ ! -e /sys/kernel/mm/transparent_hugepage/$name ] ||
			echo always > /sys/kernel/mm/transparent_hugepage/$name
	done
}

same_pages() {
	[ -e /sys/kernel/mm/ksm/run ] || return 0
	echo 4096 > /sys/kernel/mm/ksm/pages_to_scan
	echo 20 > /sys/kernel/mm/ksm/sleep_millisecs
	echo 1 > /sys/kernel/mm/ksm/run
}

# What nsplit expects of the dump, and the same without a look at the contents of memory.
estimates() {
	nsplit --no-config --estimate --json -C lzo -d 31 > /tmp/word/estimate.json
	mount --bind /dev/null /proc/kcore
	nsplit --no-config --estimate --json -C lzo -d 31 > /tmp/word/estimate-unread.json
	umount /proc/kcore
}

# The kernel's own word.  The flags of pages come last, from "fill crash".
word() {
	mkdir /tmp/word
	for name in meminfo buddyinfo zoneinfo vmstat slabinfo modules vmallocinfo iomem cmdline \
		pagetypeinfo swaps version; do
		cat /proc/$name > /tmp/word/$name
	done
	for name in /sys/kernel/mm/ksm/pages_*; do
		echo "${name##*/} $(cat "$name")"
	done > /tmp/word/ksm
	ps -o pid,comm > /tmp/word/ps
	dmesg > /tmp/word/dmesg
	estimates
	# Without sync, which would write all dirty pages.
	tar -C /tmp/word -cf - . | dd of=/disk/word bs=64K conv=fsync 2> /dev/null
}

# Asks the host to add or to remove memory, and waits for the end of that.
change_memory() {
	[ "$change_memory" = yes ] || return 0
	before=$(memory_total)
	echo 'host: change the memory'
	last=
	for _ in $(seq 120); do
		now=$(memory_total)
		[ "$now" = "$before" ] || [ "$now" != "$last" ] || return 0
		last=$now
		sleep 1
	done
	echo "the memory did not change: $now KiB"
	return 1
}

memory_total() {
	awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo
}

# Months of work in a minute.
busy() {
	[ "$busy" = yes ] || return 0
	mkdir /shm/many
	seq 5000 | while read -r name; do
		echo "$name" > "/shm/many/$name"
	done
	fill busy /data
}

# Reads more from disks than there is memory.
reclaim() {
	[ "$reclaim" = yes ] || return 0
	for name in member0 member1; do
		dd if=/disk/$name of=/dev/null bs=1M 2> /dev/null
	done
}

change_memory
# After that, as udev would do it: kexec describes the memory that there is.
load_kdump
huge_pages
files
swap
shared_memory
same_pages
fill start /data
busy
reclaim
# KSM merges pages in the second round over them.
sleep 3
word
fill crash "$panic_cpu" /disk/flags
