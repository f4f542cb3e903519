# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in dracut's capture initramfs when the devices exist, in place of kdump.sh of kdump-utils,
# which is not in Debian.  The lines that call the collector, and those that rename the file, are
# those of its do_kdump_pre(), dump_fs() and get_kdump_confs(); messages are plain here instead of
# dracut's logger, and the test ends the machine.  The reference is the SHA-256 of /proc/vmcore,
# which the host compares.

. /lib/test-lib.sh

do_kdump_pre() {
	if [ -d /etc/kdump/pre.d ]; then
		for file in /etc/kdump/pre.d/*; do
			"$file"
			_ret=$?
			if [ $_ret -ne 0 ]; then
				echo "kdump: $file exited with $_ret status"
			fi
		done
	fi
	return 0
}

dump_fs() {
	_dump_fs_path=$1/var/crash/127.0.0.1-$(date +%Y-%m-%d-%T)
	mkdir -p "$_dump_fs_path" || return 1
	echo "kdump: saving to $_dump_fs_path"

	$CORE_COLLECTOR /proc/vmcore "$_dump_fs_path/vmcore-incomplete" > /dev/console 2>&1
	_dump_exitcode=$?
	if [ $_dump_exitcode -eq 0 ]; then
		sync -f "$_dump_fs_path/vmcore-incomplete"
		_sync_exitcode=$?
		if [ $_sync_exitcode -eq 0 ]; then
			mv "$_dump_fs_path/vmcore-incomplete" "$_dump_fs_path/vmcore"
			echo "kdump: saving vmcore complete"
		else
			echo "kdump: sync vmcore failed, exitcode:$_sync_exitcode"
			return 1
		fi
	else
		echo "kdump: saving vmcore failed, exitcode:$_dump_exitcode"
		return 1
	fi
	return 0
}

stty -F /dev/ttyS1 raw -echo 115200
value booted yes
note "$(awk '/^Mem(Total|Avail)/ { print $1, $2, $3 }' /proc/meminfo)"
CORE_COLLECTOR=$(sed -n 's/^core_collector //p' /etc/kdump.conf)
# There, dracut's --mount does this.
mkdir /kdumproot
mount -t ext4 /dev/disk/by-id/virtio-target /kdumproot
do_kdump_pre > /dev/console 2>&1
try 'the lines of kdump.sh save the dump' dump_fs /kdumproot
cat /tmp/said > /dev/console
value saved "${_dump_fs_path#/kdumproot/}"
value size "$(stat -c %s /proc/vmcore)"
value sha256 "$(sha256sum < /proc/vmcore | cut -d ' ' -f 1)"
try 'the memory is kept for the host' keep_vmcore
report end
umount /kdumproot /run/nsplit/*
sync
echo b > /proc/sysrq-trigger
