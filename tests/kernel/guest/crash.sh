# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the first kernel: loads the capture kernel, and panics.  /append contains the scenario's
# additions to the capture kernel's command line.

try 'kexec loads the capture kernel' \
	kexec -p /vmlinuz --initrd=/capture.cpio.gz \
	--append="console=ttyS0 quiet irqpoll reset_devices panic=-1 $(cat /append)"
same 'the capture kernel is loaded' "$(cat /sys/kernel/kexec_crash_loaded)" 1
# If the scenario copied nsplit here, without its script: what nsplit expects of the reserved memory.
[ ! -x /bin/nsplit ] || {
	try 'nsplit --check-params: eight threads fit' \
		quiet_exit 0 nsplit --check-params --capture-only -c -j8 /proc/vmcore null:
	nsplit --check-params --capture-only -c -j1000 /proc/vmcore null: 2> /tmp/check || :
	note "$(cat /tmp/check)"
	value left "$(sed -n 's/.* and \([0-9.]*\) MiB is available (what a capture kernel .*/\1/p' /tmp/check)"
}
# On the boot CPU: the capture kernel can then start the other one.
taskset 1 sh -c 'echo c > /proc/sysrq-trigger'
