# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the first kernel: a drill with the capture kernel loaded, and then the crash.

# As systemd does.
mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo +memory > /sys/fs/cgroup/cgroup.subtree_control
try 'kexec loads the capture kernel' kexec -p /vmlinuz --initrd=/capture.cpio.gz --append=quiet
exited=0
export NSPLIT_SCRIPTS=/scripts
nsplit --drill -f -c -d 31 --progress=never /proc/vmcore /disk/out0 /disk/out1 > /tmp/drill 2>&1 || exited=$?
note "$(cat /tmp/drill)"
same 'the drill works' $exited 0
# MiB, seconds, and MiB of memory.
value drill "$(sed -n 's/^nsplit: drill: \([0-9.]*\) MiB in \([0-9.]*\) s, .*; at most \([0-9.]*\) MiB of .*/\1 \2 \3/p' \
	/tmp/drill)"
for disk in out0 out1; do
	same "$disk is blank again" "$(tr -d '\0' < /disk/$disk | wc -c)" 0
done
# Its check of the memory is for other scenarios.
rm /bin/nsplit
. /crash.sh
