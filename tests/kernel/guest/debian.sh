# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the Debian machine, as a service, at each boot of the first kernel: switches nsplit on and
# crashes; then, after the capture kernel has rebooted the machine, looks at what was saved.

set -eu
PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
tool=/usr/local/libexec/nsplit/kdump-tools-save
. /nsplit-test/lib.sh

# who_saves: the program that the service calls
who_saves() {
	systemctl show --property=ExecStart --value kdump-tools-dump.service |
		sed 's/^{ path=\([^ ]*\).*/\1/'
}

crash() {
	same 'kdump-tools has loaded the capture kernel' "$(kdump-config status)" \
		'current state   : ready to kdump'
	same 'nsplit is installed, and kdump-tools would save' "$(who_saves)" /etc/init.d/kdump-tools
	try 'one line switches it on' $tool enable
	same 'and nsplit would save' "$(who_saves)" $tool
	try 'kdump-tools loads it again' systemctl restart kdump-tools.service
	systemctl start nsplit-kdump-check.service || :
	same 'and what nsplit would do was checked' \
		"$(systemctl show --property=Result --value nsplit-kdump-check.service) $(
			systemctl show --property=ActiveState --value nsplit-kdump-check.service)" \
		'success inactive'
	same 'a file system that was mounted by hand is refused' "$(by_hand)" "kdump-tools-save: \
/mnt/hand: its file system is mounted now but is not in /etc/fstab (mnt-hand.mount)"
	[ "$second_disk" != missing ] || take_disk_away
	sync
	# On the CPU that booted: the capture kernel has the other as well.
	taskset 1 sh -c 'echo c > /proc/sysrq-trigger'
}

# What the check says of it.
by_hand() {
	cp /etc/default/nsplit-kdump /nsplit-test/
	echo 'NSPLIT_DIRECTORIES=/mnt/hand' > /etc/default/nsplit-kdump
	mkdir /mnt/hand
	mount -t tmpfs hand /mnt/hand
	$tool check 2>&1 || :
	umount /mnt/hand
	cp /nsplit-test/nsplit-kdump /etc/default/nsplit-kdump
}

# Its file system is gone, and nothing says that the machine may do without it.
take_disk_away() {
	cp /etc/fstab /nsplit-test/fstab
	sed -i '/crash1/s/nofail,x-systemd.device-timeout=[0-9]*s/x-systemd.device-timeout=20s/' /etc/fstab
	umount /mnt/disk1
	dd if=/dev/zero of=/dev/disk/by-label/crash1 bs=64K count=1 2> /dev/null
}

look() {
	reference=$(cat /nsplit-test/reference)
	note "capture $(cat /nsplit-test/capture); emergency.target $(cat /nsplit-test/emergency)"
	value sha256 "$reference"
	same 'of the dumps before this one, the last is kept, as KDUMP_NUM_DUMPS says' \
		"$(cd /var/crash && printf '%s ' 202001*) $(cd /var/crash && ls -d 2* | wc -l)" \
		'202001020000  2'
	stamp=$(cd /var/crash && printf "%s\n" 2* | tail -n 1)
	set -- "/var/crash/$stamp/vmcore.$stamp.nsplit"
	if [ "$second_disk" = missing ]; then
		same 'nothing lies where the disk should be' "$(ls /mnt/disk1)" ''
	else
		set -- "$@" "/mnt/disk1/crash/$stamp/vmcore.$stamp.nsplit"
	fi
	for member; do
		note "$(ls -l "$member" 2>&1)"
	done
	try 'njoin finds all in order' njoin -q --verify "$@"
	try 'njoin makes a core' njoin -q -o /var/tmp/core "$@"
	value joined "$(sha256sum < /var/tmp/core | cut -d ' ' -f 1)"
	try 'makedumpfile finds the kernel log in it' \
		makedumpfile --dump-dmesg /var/tmp/core /var/tmp/dmesg
	panic=$(grep 'Kernel panic' /var/tmp/dmesg) || panic=none
	note "$panic"
	same 'and the panic there' "${panic#*] }" 'Kernel panic - not syncing: sysrq triggered crash'
	same 'which was saved beside the dump, too' \
		"$(grep 'Kernel panic' "/var/crash/$stamp/dmesg.$stamp")" "$panic"
	try 'one line switches it off' $tool disable
	same 'and kdump-tools would save' "$(who_saves)" /etc/init.d/kdump-tools
	same 'nothing of it is left' "$(find /etc/systemd -name '*nsplit*')" ''
}

stty -F /dev/ttyS1 raw -echo 115200
second_disk=$(sed 's/.*second_disk=\([a-z]*\).*/\1/' /proc/cmdline)
boot=$(cat /nsplit-test/boot 2> /dev/null) || boot=crash
case $boot in
crash)
	echo look > /nsplit-test/boot
	crash
	;;
look) look ;;
esac
report end
sync
poweroff -f
