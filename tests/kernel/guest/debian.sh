# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the Debian machine, as a service, at each boot of the first kernel: enables nsplit and crashes;
# then, after the capture kernel has rebooted the machine, examines what was saved.

set -eu
PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
tool=/usr/local/libexec/nsplit/kdump-tools-save
. /nsplit-test/lib.sh

# who_saves: prints the program that the service calls
who_saves() {
	systemctl show --property=ExecStart --value kdump-tools-dump.service |
		sed 's/^{ path=\([^ ]*\).*/\1/'
}

crash() {
	same 'kdump-tools has loaded the capture kernel' "$(kdump-config status)" \
		'current state   : ready to kdump'
	same 'nsplit is installed, but kdump-tools saves' "$(who_saves)" /etc/init.d/kdump-tools
	same 'status says so' "$(status_of)" '3 nsplit is not enabled, so it does not save the dump of a crash.'
	try 'one command enables nsplit' $tool enable
	same 'nsplit saves' "$(who_saves)" $tool
	same 'status says so, too' "$(status_of)" '0 nsplit saves the dump of a crash.'
	try 'kdump-tools loads the capture kernel again' systemctl restart kdump-tools.service
	systemctl start nsplit-kdump-check.service || :
	same 'nsplit was checked then' \
		"$(systemctl show --property=Result --value nsplit-kdump-check.service) $(
			systemctl show --property=ActiveState --value nsplit-kdump-check.service)" \
		'success inactive'
	same 'a file system that was mounted by hand is reported' "$(by_hand)" "kdump-tools-save: \
/mnt/hand: its file system is mounted now but is not in /etc/fstab (mnt-hand.mount)"
	[ "$second_disk" != missing ] || take_disk_away
	sync
	# On the boot CPU: the capture kernel can then start the other one.
	taskset 1 sh -c 'echo c > /proc/sysrq-trigger'
}

# status_of: prints the exit status of kdump-tools-save status, and the first line that it prints
status_of() {
	status_status=0
	status_text=$($tool status 2>&1) || status_status=$?
	printf '%s %s\n' "$status_status" "$(printf '%s\n' "$status_text" | head -n 1)"
}

# Tests kdump-tools-save check.
by_hand() {
	cp /etc/default/nsplit-kdump /nsplit-test/
	echo 'NSPLIT_DIRECTORIES=/mnt/hand' > /etc/default/nsplit-kdump
	mkdir /mnt/hand
	mount -t tmpfs hand /mnt/hand
	$tool check 2>&1 || :
	umount /mnt/hand
	cp /nsplit-test/nsplit-kdump /etc/default/nsplit-kdump
}

# Removes the second disk's file system, and "nofail" from its line in /etc/fstab.
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
	same 'KDUMP_NUM_DUMPS keeps the newest of the old dumps' \
		"$(cd /var/crash && printf '%s ' 202001*) $(cd /var/crash && ls -d 2* | wc -l)" \
		'202001020000  2'
	stamp=$(cd /var/crash && printf "%s\n" 2* | tail -n 1)
	set -- "/var/crash/$stamp/vmcore.$stamp.nsplit"
	if [ "$second_disk" = missing ]; then
		same 'nothing is in the directory of the missing disk' "$(ls /mnt/disk1)" ''
	else
		set -- "$@" "/mnt/disk1/crash/$stamp/vmcore.$stamp.nsplit"
	fi
	for member; do
		note "$(ls -l "$member" 2>&1)"
	done
	try 'njoin --verify succeeds' njoin -q --verify "$@"
	try 'njoin makes a core' njoin -q --zero-left-out -o /var/tmp/core "$@"
	value joined "$(sha256sum < /var/tmp/core | cut -d ' ' -f 1)"
	try 'makedumpfile finds the kernel log in it' \
		makedumpfile --dump-dmesg /var/tmp/core /var/tmp/dmesg
	# makedumpfile 1.7.6 prints the thread, too.
	panic=$(grep 'Kernel panic' /var/tmp/dmesg | sed 's/\] \[ *[TC][0-9]*\] /] /')
	note "${panic:-none}"
	same 'the log ends with the panic' "${panic#*] }" 'Kernel panic - not syncing: sysrq triggered crash'
	same 'the log was also saved beside the dump' \
		"$(grep 'Kernel panic' "/var/crash/$stamp/dmesg.$stamp")" "$panic"
	try 'one command disables nsplit' $tool disable
	same 'kdump-tools saves again' "$(who_saves)" /etc/init.d/kdump-tools
	same 'no file of it is left' "$(find /etc/systemd -name '*nsplit*' ! -name nsplit-test.service)" ''
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
