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
	mount -t tmpfs -o size=100% tmpfs /mnt
	sh -c "echo \$\$ > /tmp/cgroup/small/cgroup.procs; cat /dev/vd$1 > /mnt/data"
	tries=0
	while [ $tries -lt 8 ]; do
		echo 256M > /tmp/cgroup/small/memory.reclaim 2> /tmp/said || :
		tries=$((tries + 1))
	done
	value "zswap-$1-$2 $(cat /sys/kernel/debug/zswap/stored_pages)" \
		"$(cat /sys/kernel/debug/zswap/pool_total_size)"
	umount /mnt
	echo N > /sys/module/zswap/parameters/enabled
}

mkdir -p /tmp/cgroup
mount -t debugfs debug /sys/kernel/debug
mount -t cgroup2 cgroup /tmp/cgroup
echo +memory > /tmp/cgroup/cgroup.subtree_control
mkdir /tmp/cgroup/small
mkswap /disk/swap > /tmp/said
swapon /disk/swap
for disk in /sys/block/vd*; do
	disk=${disk#/sys/block/vd}
	name=$(cat "/sys/block/vd$disk/serial")
	[ "$name" != swap ] || continue
	value "disk-$disk $name"
	for algorithm in lzo-rle lzo lz4 lz4hc zstd deflate 842; do
		zram "$disk" $algorithm
	done
	for pool in zsmalloc z3fold zbud; do
		zswap "$disk" $pool
	done
done
same 'everything was measured' "$(ls /sys/block/zram0/mm_stat)" /sys/block/zram0/mm_stat
