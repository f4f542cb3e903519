#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What nsplit --drill=crash prints fits the machine: its capture kernel, its kdump, and where the dump is afterwards.
# It does nothing.
# shellcheck source=tests/cli/check-lib.sh
. "${srcdir:?}/tests/cli/check-lib.sh"

# prints: a script that the shell understands, in the file out
prints() {
	expect_status 0 nsplit --drill=crash
	expect_err ''
	sh -n out || fail "it is no shell script: $(cat out)"
	grep -qx 'echo c > /proc/sysrq-trigger' out || fail "$(cat out)"
	sed '1,/^# After the restart/d' out > after
}

# has LINE...
has() {
	for line; do
		grep -qxF -- "$line" out || fail "no line '$line': $(cat out)"
	done
}

# ready, unready TEXT: whether the first line warns
ready() {
	head -n 1 out | grep -q '^# These commands crash this machine' || fail "$(cat out)"
}
unready() {
	[ "$(head -n 1 out)" = "# DO NOT CRASH IT NOW: $1." ] || fail "$(cat out)"
}

# The capture kernel.
fedora
prints
ready
has '# The kernel: a capture kernel is loaded.' '# kdump-utils saves the dump with nsplit (/usr/bin/nsplit).'
echo 0 > root/sys/kernel/kexec_crash_loaded
prints
unready "no capture kernel is loaded, so a crash makes no dump; start the system's kdump service"
echo 0 > root/sys/kernel/kexec_crash_size
prints
unready "no memory is reserved for a capture kernel, although crashkernel= is on the kernel's command line; 'dmesg' may say why"
rm -r root/sys
prints
ready
has '# Not known here: whether a capture kernel is loaded: this kernel does not report it.'
rm -r root/etc/systemd/system/multi-user.target.wants
prints
has '# kdump-utils: kdump.service is not enabled, so no capture kernel will be loaded after the next boot.'

# The commands that look at the dump work: of the newest one, in a directory with a strange name.
look="here's a crash"
mkdir -p "$look/127.0.0.1-1" "$look/127.0.0.1-2"
touch -d 2026-01-01 "$look/127.0.0.1-1"
fedora
printf 'path %s\ncore_collector nsplit -c -d 31\n' "$PWD/$look" > root/etc/kdump.conf
mkfakevmcore -s 1M core
nsplit -q core "$look/127.0.0.1-2/vmcore"
prints
has "# kdump-utils makes a new directory for each dump in $PWD/$look."
[ "$(grep -c ^njoin after)" = 3 ] || fail "$(cat after)"
sh -eu after > looked 2>&1 || fail "$(cat looked)"
[ -f "$look/127.0.0.1-2/vmcore.kdump" ] || fail "there is no kdump file: $(cat looked)"

# A dump that needs nothing made of it, under its own name and that of makedumpfile.
printf 'core_collector nsplit --format=kdump -d 31\n' > root/etc/kdump.conf
prints
has "dump=\$(ls -td '/var/crash'/*/ | head -n 1)" 'njoin --verify "$dump"vmcore' '# crash opens it as it is.'
printf 'core_collector nsplit --format=elf -d 31\n' > root/etc/kdump.conf
prints
has '# It is an ELF core, which has no checksums; open it with crash or gdb.'
! grep '^njoin' after || fail "$(cat after)"
fedora_link
prints
has '# kdump-utils saves the dump with nsplit as makedumpfile (/usr/bin/nsplit).' 'njoin --verify "$dump"vmcore' \
	'# crash opens it as it is.'

# Other names and places.
debian
prints
has '# kdump-tools saves the dump with nsplit (/usr/bin/nsplit).' 'njoin --verify "$dump"vmcore.*.nsplit'
on_machine /etc/default/nsplit-kdump 'NSPLIT_DIRECTORIES="/mnt/disk1/crash"'
prints
has '# Each further disk has another member, which njoin needs, too: see /etc/default/nsplit-kdump.'
rm root/etc/systemd/system/kdump-tools-dump.service.d/nsplit.conf
prints
has '# kdump-tools saves the dump with /usr/bin/makedumpfile, which is not nsplit.' 'njoin --verify "$dump"dump.*'
rm root/usr/bin/makedumpfile
prints
has '# kdump-tools calls makedumpfile, which does not exist, so there would be no dump.'
suse
prints
has '# SUSE kdump saves the dump with nsplit (/usr/bin/nsplit).' 'njoin --verify "$dump"vmcore'
fedora_ssh
prints
has '# kdump-utils sends the dump to another machine: ssh dumps@host.  Verify it there.' 'njoin --verify FILE...'
debian_initramfs
prints
has '# initramfs-tools saves the dump with nsplit (/usr/bin/nsplit).' '# /etc/nsplit-disks.conf: mount them, and name all members.'

# Nothing that a configuration says becomes a command.
fedora
printf 'ssh dumps@host\rreboot\ncore_collector nsplit -c -d 31\n' > root/etc/kdump.conf
prints
! grep -v '^#' out | grep reboot || fail "$(cat out)"
! grep -q "$(printf '\r')" out || fail "$(cat out)"
