#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Too little space for the dump: for each system, old dumps are removed before, and there is space
# afterwards for the system's own collector and at the next crash; doc/kdump.md, "When space runs
# out".
# shellcheck source=tests/cli/kdump-debian-lib.sh
. "${srcdir:?}/tests/cli/kdump-debian-lib.sh"

need_small
# File systems of 10 MiB are enough for a collector, which takes an eighth of the memory.
head -c 64M /dev/urandom > vmcore

# salvaged MEMBER...: each of them holds a part of the memory, which depends on the threads
salvaged() {
	for member; do
		expect_status 3 njoin -q --salvage -o copy "$member"
		megabyte=0
		until cmp -s -i $((megabyte << 20)) -n 1048576 copy vmcore; do
			megabyte=$((megabyte + 1))
			[ $megabyte -lt 64 ] || fail "$member holds no part of the memory"
		done
		rm copy
	done
}

# --- Debian -------------------------------------------------------------------

settings KDUMP_NUM_DUMPS=1
small crash1 10
small crash2 10
echo 'compress = raw' > etc/nsplit.conf
stub etc/init.d/kdump-tools <<- END
	echo "kdump-tools \$*" >> $PWD/ended
	mkdir -p $PWD/crash1/203001010000
	head -c 7M $PWD/vmcore > $PWD/crash1/203001010000/dump.203001010000
END
for crash in first second third; do
	printf '%s crash\n' $crash
	saves 'kdump-tools start'
	says "kdump-tools-save: saved incompletely: 4[0-9].[0-9] MiB missing because of full outputs: $PWD/crash1, $PWD/crash2"
	said 'kdump-tools-save: falling back to kdump-tools'
	# One dump of nsplit and one of kdump-tools.  The member on the other disk is not truncated.
	[ "$(stat -c %s crash1/203001010000/dump.203001010000)" -eq $((7 << 20)) ] ||
		fail "no space for kdump-tools: $(ls -l crash1/*)"
	set -- crash1/*/vmcore-partial.*.nsplit
	[ $# -eq 1 ] || fail "there are $# members: $*"
	says "kdump-tools-save: $PWD/$1: truncated to [12] MiB to make space for the system's own dump"
	set -- crash2/*/vmcore-partial.*.nsplit
	[ $# -eq 1 ] || fail "there are $# members: $*"
	[ "$(stat -c %s "$1")" -gt $((9 << 20)) ] || fail "$1 was truncated"
	salvaged crash1/*/vmcore-partial.*.nsplit "$1"
done
umount crash1 crash2

# --- SUSE ---------------------------------------------------------------------

suse_transfer
small mnt 10
for crash in first second; do
	printf '%s crash\n' $crash
	printf '%s\n' KDUMP_SAVEDIR=/crash KDUMP_KEEP_OLD_DUMPS=-1 KDUMP_FREE_DISK_SIZE=0 > etc/kdump.conf
	expect_status 3 suse/nsplit-kdump-transfer /crash
	says "nsplit-kdump-transfer: saved incompletely: 5[0-9].[0-9] MiB missing because of full outputs: $PWD/mnt/crash"
	salvaged "$(one mnt/crash/*/vmcore-incomplete)"
	head -c 7M vmcore > "$(echo mnt/crash/*)/vmcore"
done
# The space that kdump leaves free beside its dump counts; here it exceeds the file system.
sed -i 's/SIZE=0/SIZE=08/' etc/kdump.conf
expect_status 3 suse/nsplit-kdump-transfer /crash
says "nsplit-kdump-transfer: $PWD/mnt/crash/[-0-9.]*/vmcore-incomplete: removed to make space for the system's own dump"
absent mnt/crash/*
# With a kdump that has no fallback, everything is kept, and is the dump.
expect_status 0 suse/nsplit-kdump-transfer
member=$(one mnt/crash/*/vmcore-incomplete)
[ "$(stat -c %s "$member")" -gt $((9 << 20)) ] || fail "$member was truncated"
umount mnt

# --- initramfs-tools ----------------------------------------------------------

small_premount 10 'compress = raw'
# With kdump-tools, and without.
: > etc/nsplit-collector
rm -f ended
PATH=$PWD/bin:$PATH expect_status 0 sh premount
absent ended
says 'nsplit: continuing to boot'
says "nsplit: $PWD/$member: truncated to [12] MiB to make space for the system's own dump"
salvaged $member
rm etc/nsplit-collector
PATH=$PWD/bin:$PATH expect_status 0 sh premount
lib_expect ended 'reboot -n -f'
says "nsplit: saved incompletely: 5[0-9].[0-9] MiB missing because of full outputs: $PWD/run/nsplit/1"
[ "$(stat -c %s $member)" -gt $((9 << 20)) ] || fail "$member was truncated"
