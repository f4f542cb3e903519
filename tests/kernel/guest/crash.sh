# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the first kernel: loads the capture kernel, and panics.  /append is what the scenario
# adds to the capture kernel's command line.

try 'kexec takes the capture kernel' \
	kexec -p /vmlinuz --initrd=/capture.cpio.gz \
	--append="console=ttyS0 quiet irqpoll reset_devices panic=-1 $(cat /append)"
same 'it is loaded' "$(cat /sys/kernel/kexec_crash_loaded)" 1
# Where the scenario has put nsplit here, too: what it makes of the reservation.
[ ! -x /bin/nsplit ] || {
	try 'nsplit --check-params: eight threads fit' \
		quiet_exit 0 nsplit --check-params -c -j8 /proc/vmcore null:
	nsplit --check-params -c -j1000 /proc/vmcore null: 2> /tmp/check || :
	note "$(cat /tmp/check)"
	value left "$(sed -n 's/.*leaves about \([0-9.]*\) MiB.*/\1/p' /tmp/check)"
}
# From the CPU that booted: the capture kernel can then have the other as well.
taskset 1 sh -c 'echo c > /proc/sysrq-trigger'
