#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The limits of a drill: the memory that crashkernel= leaves and the CPUs of kdump's configuration, which are those of a
# made-up machine.
# shellcheck source=tests/cli/drill-lib.sh
. "${srcdir:?}/tests/cli/drill-lib.sh"

NSPLIT_ROOT=$PWD/root
export NSPLIT_ROOT
mkdir -p root/sys/kernel root/proc/sys/kernel root/etc/default root/usr/sbin
: > root/usr/sbin/kdump-config

# system CRASHKERNEL RESERVED LOADED
system() {
	echo "ro quiet $1" > root/proc/cmdline
	echo "$2" > root/sys/kernel/kexec_crash_size
	echo "$3" > root/sys/kernel/kexec_crash_loaded
}

# machine MEMORY FREE CACHED USED: in MiB
machine() {
	printf '00000000-%08x : System RAM\n' $(($1 * 1048576 - 1)) > root/proc/iomem
	printf '%s: %d kB\n' MemTotal $(($1 * 1024)) MemFree $(($2 * 1024)) Cached $(($3 * 1024)) \
		AnonPages $(($4 * 1024)) > root/proc/meminfo
}

echo 1 > root/proc/sys/kernel/panic_on_oops
machine 160 64 32 32

# drills STATUS ARGUMENT...: as drill, with the memory of the machine
drills() {
	want=$1
	shift
	expect_status "$want" nsplit --drill --progress=never "$@"
	sed -E -i '/ in memory \(/d; /the memory is not limited/d; s/ in [0-9.]* s, .*written; /; /
		s/; (at most [0-9.]* [KM]iB of|within) ([0-9.]* MiB of memory)/; planned for \2/' err
	expect_out ''
	absent a b
	no_group_left
}

# cpus SETTING: prints how many CPUs the drill has with it
cpus() {
	echo "KDUMP_CMDLINE_APPEND=\"$1\"" > root/etc/default/kdump-tools
	drills 0 --drill-size=8M -c /proc/vmcore a
	sed -n '1s/.*; CPUs: //p' err
}

system crashkernel=256M 268435456 1
[ "$(cpus 'irqpoll nr_cpus=1')" = 1 ] || fail "$(cat err)"
expect_err 'nsplit: drill: source: 8.0 MiB of made-up data; memory: 164.0 MiB; CPUs: 1
nsplit: drill: 8.0 MiB; planned for 164.0 MiB of memory; verified and removed'
# More CPUs than this machine has.
[ "$(cpus 'irqpoll nr_cpus=999')" = "$(nproc)" ] || fail "$(cat err)"
echo 'KDUMP_CMDLINE_APPEND="irqpoll nr_cpus=1"' > root/etc/default/kdump-tools

# size MIB ARGUMENT...: a drill with these arguments has this size
size() {
	drills 0 -c "$2" /proc/vmcore a
	grep -qx "nsplit: drill: source: $1.0 MiB of made-up data; memory: 164.0 MiB; CPUs: 1" err || fail "$(cat err)"
}

if [ ! -e /proc/fakevmcore ]; then
	# What --estimate says that a dump keeps; at least 16 MiB.
	size 160 -d0
	size 32 -d31
	machine 160 88 32 32
	size 16 -d31
fi

# Little memory: fewer threads.  None at all.
drills 0 --drill-memory=12M --drill-size=8M -j16 -c /proc/vmcore a
grep -q '^nsplit: 16 threads need .* (the \(memory of the drill\|limit of the memory cgroup\)); using 1 thread ' err || fail "$(cat err)"
system crashkernel=64M 67108864 1
drills 1 --drill-size=8M -c /proc/vmcore a
expect_err 'nsplit: drill failed: of the 64.0 MiB that crashkernel= reserves, nothing is left for programs in a capture kernel'
# --drill-memory is for a reservation to come.
system '' 0 0
drills 0 --drill-memory=60M --drill-size=8M -c /proc/vmcore a
expect_err 'nsplit: drill: source: 8.0 MiB of made-up data; memory: 60.0 MiB; CPUs: 1
nsplit: drill: 8.0 MiB; planned for 60.0 MiB of memory; verified and removed'

# What prevents a dump although the drill works.
drills 1 --drill-size=8M -c /proc/vmcore a
sed -i '2,3d' err
expect_err 'nsplit: no memory is reserved for a capture kernel (crashkernel=)
nsplit: drill failed: no memory is reserved for a capture kernel (crashkernel=)'
system crashkernel=256M 268435456 0
drills 1 -q --drill-size=8M -c /proc/vmcore a
expect_err "nsplit: no capture kernel is loaded, so a crash makes no dump; start the system's kdump service
nsplit: drill failed: no capture kernel is loaded, so a crash makes no dump; start the system's kdump service"

# In a real cgroup, where there is one, the kernel kills a capture for which the memory is not sufficient.
expect_status 0 nsplit --drill --drill-memory=60M --drill-size=8M --progress=never -c /proc/vmcore a
if grep -q '; at most [0-9.]* MiB of 60.0 MiB of memory; ' err; then
	expect_status 1 nsplit --drill -q --drill-memory=256K --drill-size=8M -c /proc/vmcore a
	sed -i '/ threads* needs* /d' err
	expect_err 'nsplit: drill: the kernel killed the capture, because the memory was not sufficient
nsplit: drill failed: nothing was captured: the kernel killed the capture, because the memory was not sufficient'
	absent a
	no_group_left
else
	echo "no cgroup: $(grep 'not limited' err)"
fi

# Where the group is made, in file systems of cgroups that are plain directories here.
: > cgroup
mkdir scripts cg
sed -e "s:/proc/self/:$PWD/:" -e "s:/sys/fs/cgroup:$PWD/cg:" "$NSPLIT_SCRIPTS/nsplit-drill" > scripts/nsplit-drill
cp "$NSPLIT_SCRIPTS/nsplit-check-system" "$NSPLIT_SCRIPTS/nsplit-kdump-functions" scripts
NSPLIT_SCRIPTS=$PWD/scripts

# not_limited WHY: a drill says this once
not_limited() {
	expect_status 0 nsplit --drill --drill-memory=60M --drill-size=8M -c --fallback=null: /proc/vmcore a
	sed 's/nsplit-drill\.[0-9]*/nsplit-drill.PID/' err | grep ' not limited' > told || :
	[ "$(cat told)" = "nsplit: drill: the memory is not limited: $1" ] || fail "$(cat err)"
	grep -q '; planned for 60.0 MiB of memory; ' err || fail "$(cat err)"
	! find cg -name 'nsplit-drill.*' | grep . || fail 'a group is left'
}

none='no memory cgroup can be made: this system has no memory controller, or its groups may have no children'
not_limited "$none"
# Version 2: of the nearest group whose children may have limits.
mkdir -p cg/a/b/c
: > cg/cgroup.controllers
echo 0::/a/b > cgroup
echo 'cpu memory-like pids' > cg/a/cgroup.subtree_control
not_limited "$none"
echo 'cpu memory pids' > cg/a/cgroup.subtree_control
not_limited "$PWD/cg/a/nsplit-drill.PID: the limit of the memory cgroup cannot be set"
echo memory > cg/a/b/cgroup.subtree_control
not_limited "$PWD/cg/a/b/nsplit-drill.PID: the limit of the memory cgroup cannot be set"
# What is mounted is a part without this group.
echo 0::/other > cgroup
echo memory > cg/cgroup.subtree_control
not_limited "$PWD/cg/nsplit-drill.PID: the limit of the memory cgroup cannot be set"
# Version 1: of the group of the drill.
rm cg/cgroup.controllers
printf '3:cpu,memory:/a/b\n0::/\n' > cgroup
mkdir -p cg/memory/a/b
not_limited "$PWD/cg/memory/a/b/nsplit-drill.PID: the limit of the memory cgroup cannot be set"
chmod 500 cg/memory/a/b
[ -w cg/memory/a/b ] || not_limited "no memory cgroup can be made in $PWD/cg/memory/a/b: Permission denied"
chmod 700 cg/memory/a/b
