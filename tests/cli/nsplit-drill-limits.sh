#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The limits of a drill: the memory that crashkernel= leaves and the CPUs of kdump's configuration.  The test provides
# its own /sys, /etc/default, /proc/cmdline and /proc/iomem, and no cgroups.
# shellcheck source=tests/cli/drill-lib.sh
. "${srcdir:?}/tests/cli/drill-lib.sh"

need unshare mount
need_root "mounting"
unshare -m true 2> /dev/null || skip 'no mount namespace may be made here'
for file in /etc/default /proc/sys/kernel/panic_on_oops; do
	[ -e $file ] || skip "there is no $file"
done
mkdir -p sys/kernel default

# system CRASHKERNEL RESERVED LOADED
system() {
	echo "ro quiet $1" > cmdline
	echo "$2" > sys/kernel/kexec_crash_size
	echo "$3" > sys/kernel/kexec_crash_loaded
}

cat > within << 'END'
set -eu
mount --bind oops /proc/sys/kernel/panic_on_oops
mount --bind cmdline /proc/cmdline
mount --bind iomem /proc/iomem
mount --bind default /etc/default
mount --bind sys /sys
exec "$@"
END
echo 1 > oops
# 160 MiB of memory.
echo '00000000-09ffffff : System RAM' > iomem

# drills STATUS ARGUMENT...
drills() {
	want=$1
	shift
	expect_status "$want" unshare -m sh within nsplit --drill --progress=never "$@"
	grep 'planned for, but not limited' err > planned || :
	sed -i '/ in memory (/d; /planned for, but not limited/d; s/ in [0-9.]* s, .*written; /; /' err
	expect_out ''
	absent a b
}

system crashkernel=256M 268435456 1
echo 'KDUMP_CMDLINE_APPEND="irqpoll nr_cpus=1"' > default/kdump-tools
drills 0 --drill-size=8M -c /proc/vmcore a
expect_err 'nsplit: drill: source: 8.0 MiB of made-up data; memory: 164.0 MiB; CPUs: 1
nsplit: drill: 8.0 MiB; planned for 164.0 MiB of memory; verified and removed'
# /sys has no cgroups, wherever they were mounted.
[ "$(grep -c '^nsplit: drill: the memory is planned for, but not limited: no memory cgroup can be made' planned)" -eq 1 ] ||
	fail "$(cat planned)"
# The configuration of kdump has more CPUs than this machine.
echo 'KDUMP_CMDLINE_APPEND="irqpoll nr_cpus=999"' > default/kdump-tools
drills 0 --drill-size=8M -c /proc/vmcore a
[ "$(sed -n '1s/.*; CPUs: //p' err)" = "$(nproc)" ] || fail "$(cat err)"
echo 'KDUMP_CMDLINE_APPEND="irqpoll nr_cpus=1"' > default/kdump-tools

if [ ! -e /proc/fakevmcore ]; then
	# The size that --estimate says, of a machine with 160 MiB; at least 16 MiB.
	mkdir -p machine/proc
	cp iomem machine/proc/
	NSPLIT_ROOT=$PWD/machine
	export NSPLIT_ROOT
	printf '%s: %d kB\n' MemTotal 163840 MemFree 65536 Cached 32768 AnonPages 32768 > machine/proc/meminfo
	drills 0 -c /proc/vmcore a
	[ "$(head -n 1 err)" = 'nsplit: drill: source: 160.0 MiB of made-up data; memory: 164.0 MiB; CPUs: 1' ] ||
		fail "$(cat err)"
	drills 0 -c -d31 /proc/vmcore a
	[ "$(sed -n 2p err)" = 'nsplit: drill: source: 32.0 MiB of made-up data; memory: 164.0 MiB; CPUs: 1' ] ||
		fail "$(cat err)"
	sed -i '/MemFree/s/65536/98304/' machine/proc/meminfo
	drills 0 -c -d31 /proc/vmcore a
	[ "$(sed -n 2p err)" = 'nsplit: drill: source: 16.0 MiB of made-up data; memory: 164.0 MiB; CPUs: 1' ] ||
		fail "$(cat err)"
	unset NSPLIT_ROOT
fi

# Little memory: fewer threads.  None at all.
drills 0 --drill-memory=12M --drill-size=8M -j16 -c /proc/vmcore a
grep -q '^nsplit: 16 threads need .* (the memory of the drill); using 1 thread ' err || fail "$(cat err)"
system crashkernel=64M 67108864 1
drills 1 --drill-size=8M -c /proc/vmcore a
expect_err 'nsplit: drill failed: of the 64.0 MiB that crashkernel= reserves, a capture kernel leaves nothing to programs'
# --drill-memory is for a reservation to come.
system '' 0 0
drills 0 --drill-memory=60M --drill-size=8M -c /proc/vmcore a
expect_err 'nsplit: drill: source: 8.0 MiB of made-up data; memory: 60.0 MiB; CPUs: 1
nsplit: drill: 8.0 MiB; planned for 60.0 MiB of memory; verified and removed'

# What prevents a dump although the drill works.
drills 1 --drill-size=8M -c /proc/vmcore a
sed -i '2,3d' err
expect_err 'nsplit: no memory is reserved for a capture kernel (crashkernel=)
nsplit: drill failed: see the messages above'
system crashkernel=256M 268435456 0
drills 1 -q --drill-size=8M -c /proc/vmcore a
expect_err "nsplit: no capture kernel is loaded, so a crash makes no dump; start the system's kdump service
nsplit: drill failed: see the messages above"

# In a real cgroup, where there is one, the kernel kills a capture for which the memory is not sufficient.
expect_status 0 nsplit --drill --drill-memory=60M --drill-size=8M --progress=never -c /proc/vmcore a
if grep -q '; at most [0-9.]* MiB of 60.0 MiB of memory; ' err; then
	expect_status 1 nsplit --drill -q --drill-memory=256K --drill-size=8M -c /proc/vmcore a
	sed -i '/ threads* needs* /d' err
	expect_err 'nsplit: drill: the kernel killed the capture, because the memory was not sufficient
nsplit: drill failed: nothing was captured'
	absent a
	no_group_left
else
	echo "no cgroup: $(grep 'not limited' err)"
fi
