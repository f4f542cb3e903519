# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How well the kernel's algorithms compress the data on a disk, and how densely its pools of
# compressed pages store it.  Ratios only: times of an emulated machine mean nothing.

# zram DISK ALGORITHM: value zram-DISK-ALGORITHM BEFORE PACKED MEMORY
zram() {
	if ! echo "$2" > /sys/block/zram0/comp_algorithm 2> /tmp/said; then
		note "zram of this kernel has no $2"
		return
	fi
	blockdev --getsize64 "/dev/vd$1" > /sys/block/zram0/disksize
	dd if="/dev/vd$1" of=/dev/zram0 bs=1M 2> /tmp/said
	sync
	value "zram-$1-$2 $(cut -c 1-48 /sys/block/zram0/mm_stat)"
	try "zram-$1-$2 returns what was written" cmp "/dev/vd$1" /dev/zram0
	echo 1 > /sys/block/zram0/reset
}

# Prepares the tracing of objects that zswap stores.  tracing is empty if this kernel cannot.
stores_prepare() {
	tracing=/sys/kernel/tracing
	mount -t tracefs trace $tracing
	# The second argument is the size of an object.
	# shellcheck disable=SC2016
	if echo 'p:stored zpool_malloc size=$arg2:u32' 2> /tmp/said > $tracing/kprobe_events; then
		echo 4096 > $tracing/buffer_size_kb
	else
		note 'zpool_malloc() of this kernel cannot be traced'
		tracing=
	fi
	: > /tmp/sizes
}

# stores_begin: traces from now on
stores_begin() {
	[ -n "$tracing" ] || return 0
	echo 0 > $tracing/events/kprobes/stored/enable
	echo > $tracing/trace
	echo 1 > $tracing/events/kprobes/stored/enable
}

# stores_end DISK POOL: appends a line "DISK POOL SIZE" for each object, in the order of their storing
stores_end() {
	[ -n "$tracing" ] || return 0
	echo 0 > $tracing/events/kprobes/stored/enable
	sed -n "s/.* stored: .*size=/$1 $2 /p" $tracing/trace >> /tmp/sizes
}

# zswap DISK POOL: value zswap-DISK-POOL PAGES BYTES.  A group's data in a tmpfs is swapped out on
# request, and compressed with lz4. (A limit of the group would also count the compressed pages.)
zswap() {
	if ! echo "$2" > /sys/module/zswap/parameters/zpool 2> /tmp/said; then
		note "zswap of this kernel has no $2"
		return
	fi
	echo lz4 > /sys/module/zswap/parameters/compressor
	echo 90 > /sys/module/zswap/parameters/max_pool_percent
	echo 0 > /sys/module/zswap/parameters/same_filled_pages_enabled
	echo Y > /sys/module/zswap/parameters/enabled
	swapon /disk/swap
	stores_begin
	mount -t tmpfs -o size=100% tmpfs /mnt
	sh -c "echo \$\$ > /tmp/cgroup/small/cgroup.procs; cat /dev/vd$1 > /mnt/data"
	tries=0
	while [ $tries -lt 8 ]; do
		echo 256M > /tmp/cgroup/small/memory.reclaim 2> /tmp/said || :
		tries=$((tries + 1))
	done
	value "zswap-$1-$2 $(cat /sys/kernel/debug/zswap/stored_pages)" \
		"$(cat /sys/kernel/debug/zswap/pool_total_size)"
	stores_end "$1" "$2"
	umount /mnt
	# Otherwise, the last entries that were freed would remain in caches and so in the pool.
	swapoff /disk/swap
	same "zswap is empty after $1, $2" "$(cat /sys/kernel/debug/zswap/stored_pages)" 0
	echo N > /sys/module/zswap/parameters/enabled
}

value "kernel $(uname -r)"
mkdir -p /tmp/cgroup
mount -t debugfs debug /sys/kernel/debug
mount -t cgroup2 cgroup /tmp/cgroup
stores_prepare
echo +memory > /tmp/cgroup/cgroup.subtree_control
mkdir /tmp/cgroup/small
mkswap /disk/swap > /tmp/said
for disk in /sys/block/vd*; do
	disk=${disk#/sys/block/vd}
	name=$(cat "/sys/block/vd$disk/serial")
	case $name in
	swap | sizes) continue ;;
	esac
	value "disk-$disk $name"
	for algorithm in lzo-rle lzo lz4 lz4hc zstd deflate 842; do
		zram "$disk" $algorithm
	done
	for pool in zsmalloc z3fold zbud; do
		zswap "$disk" $pool
	done
done
cat /tmp/sizes > /disk/sizes
same 'everything was measured' "$(ls /sys/block/zram0/mm_stat)" /sys/block/zram0/mm_stat
