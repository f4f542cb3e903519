# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in dracut's capture initramfs when the devices exist.

. /lib/test-lib.sh

meminfo() {
	awk -v name="$1:" '$1 == name { printf "%.1f\n", $2 / 1024 }' /proc/meminfo
}

stty -F /dev/ttyS1 raw -echo 115200
value booted yes
note "the first process is $(cat /proc/1/comm)"
value total "$(meminfo MemTotal)"
value available "$(meminfo MemAvailable)"
report end
sync
echo o > /proc/sysrq-trigger
sleep 60
