#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --check-params --capture-only in a running system: the capture kernel, and whether the outputs' disks are
# mounted.
# The test provides its own /sys, parts of /proc, and /etc/fstab.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

[ ! -e /proc/vmcore ] || skip 'this is a capture kernel, and the test is for others'
need unshare mount
need_root "mounting"
unshare -m true 2> /dev/null || skip 'no mount namespace may be made here'
for file in /etc/fstab /proc/sys/kernel/panic_on_oops; do
	[ -e $file ] || skip "there is no $file"
done
grep -q '^[^ ]* / ' /proc/self/mounts || skip 'the root directory is not a mount'
case $(stat -f -c %T .) in
tmpfs | ramfs | overlayfs) skip 'TMPDIR may be in memory, and the outputs have to be on a disk' ;;
esac

# A disk that is large enough for a dump of 4 GiB of memory.
need mke2fs
truncate -s 10G disk
mke2fs -q -F -t ext4 -m 0 -E nodiscard disk
mkdir -p sys/kernel mnt/disk1 mnt/disk2
root=$PWD
unshare -m mount -o loop disk mnt/disk1 2> mount.err || skip "no loop device: $(cat mount.err)"

# system CRASHKERNEL RESERVED LOADED OOPS
system() {
	echo "ro quiet $1" > cmdline
	rm -f sys/kernel/kexec_*
	[ "$2" = - ] || echo "$2" > sys/kernel/kexec_crash_size
	[ "$3" = - ] || echo "$3" > sys/kernel/kexec_crash_loaded
	echo "$4" > oops
}

cat > within << 'END'
set -eu
if [ -n "$mounted" ]; then
	mount -o loop disk mnt/disk1
fi
mount --bind fstab /etc/fstab
mount --bind oops /proc/sys/kernel/panic_on_oops
mount --bind cmdline /proc/cmdline
mount --bind iomem /proc/iomem
mount --bind sys /sys
exec "$@"
END
export mounted=yes
# 4 GiB of memory.
echo '00000000-ffffffff : System RAM' > iomem
echo '# nothing' > fstab

# checks STATUS ARGUMENT...
checks() {
	want=$1
	shift
	expect_status "$want" unshare -m sh within nsplit --check-params --capture-only "$@"
	expect_out ''
}

# told TEXT: standard error, with sizes that depend on the file system and on the build as N
told() {
	sed -i 's/: [0-9.]* [KMGT]iB free/: N free/; s/memory: [0-9.]* MiB of/memory: N of/' err
	expect_err "$1"
}

# --- no problem -----------------------------------------------------------------

system crashkernel=256M 268435456 1 1
printf 'LABEL=crash1 %s/mnt/disk1 ext4 nofail 0 2\nswap none swap sw 0 0\n' "$root" > fstab
checks 0 -c -j2 /proc/vmcore mnt/disk1/a
expect_err ''
checks 0 -v -c -j2 /proc/vmcore mnt/disk1/a
told "nsplit: ok: no configuration file
nsplit: ok: codec lzo
nsplit: ok: 256.0 MiB reserved for a capture kernel (crashkernel=)
nsplit: ok: a capture kernel is loaded
nsplit: ok: an oops makes a dump (kernel.panic_on_oops)
nsplit: ok: source /proc/vmcore, 4.0 GiB: the memory of this machine
nsplit: ok: output mnt/disk1/a: N free (ext4 on $root/mnt/disk1)
nsplit: ok: space: N free; the source has 4.0 GiB, which usually compresses to between a quarter and a half
nsplit: ok: memory: N of 164.0 MiB (what a capture kernel leaves free of crashkernel=)
nsplit: not checked: the memory that the initramfs of the capture kernel takes
nsplit: not checked: the compression ratio and the speed of the outputs
nsplit: 9 ok, 0 problems, 0 warnings, 0 notes, 2 not checked"

# Without operands: what needs none.
checks 0 -j2
expect_err ''
checks 0 -v -j2
told "nsplit: ok: no configuration file
nsplit: ok: codec raw
nsplit: ok: 256.0 MiB reserved for a capture kernel (crashkernel=)
nsplit: ok: a capture kernel is loaded
nsplit: ok: an oops makes a dump (kernel.panic_on_oops)
nsplit: ok: source /proc/vmcore, 4.0 GiB: the memory of this machine
nsplit: not checked: outputs: none are given
nsplit: ok: memory: N of 164.0 MiB (what a capture kernel leaves free of crashkernel=)
nsplit: not checked: the memory that the initramfs of the capture kernel takes
nsplit: not checked: the compression ratio and the speed of the outputs
nsplit: 7 ok, 0 problems, 0 warnings, 0 notes, 3 not checked"

# Notes are no problems.
system crashkernel=256M 268435456 1 0
echo '# nothing' > fstab
checks 0 -c -j2 /proc/vmcore mnt/disk1/a
expect_err ''
checks 0 -v -c -j2 -d31 /proc/vmcore mnt/disk1/a '|cat > b'
grep -E 'note|oops|not checked|[0-9] ok' err > notes
mv notes err
told "nsplit: note: an oops makes no dump, only a panic does (kernel.panic_on_oops=0)
nsplit: not checked: which pages of the crashed kernel can be left out
nsplit: note: output mnt/disk1/a: $root/mnt/disk1 is mounted but has no line in /etc/fstab, so it may not be mounted after a crash
nsplit: not checked: output |cat > b: what its command does, and how much it can hold
nsplit: not checked: whether the capture environment has the programs of commands, and a network
nsplit: not checked: space: that of some outputs is unknown
nsplit: not checked: the memory that the initramfs of the capture kernel takes
nsplit: not checked: the compression ratio and the speed of the outputs
nsplit: 8 ok, 0 problems, 0 warnings, 2 notes, 6 not checked"

# --- problems -------------------------------------------------------------------

# problem TEXT ARGUMENT...: the only one
problem() {
	text=$1
	shift
	checks 1 -c -j2 "$@"
	expect_err "nsplit: $text"
	checks 1 -v -c -j2 "$@"
	[ "$(grep -cxF "nsplit: problem: $text" err)" -eq 1 ] || fail "with -v: $(cat err)"
	tail -n 1 err | grep -q ' ok, 1 problem, ' || fail "with -v: $(cat err)"
}

system crashkernel=256M 268435456 0 1
problem 'no capture kernel is loaded, so a crash makes no dump; start the system'\''s kdump service' /proc/vmcore mnt/disk1/a
problem 'no capture kernel is loaded, so a crash makes no dump; start the system'\''s kdump service'
# The module for dracut leaves out the messages with this text.
ignored=$(sed -n "s/.*\[\[ \$_line == \*'\(.*\)'\* ]] || dwarning.*/\1/p" \
	"${srcdir:?}/kdump/dracut/95nsplit/module-setup.sh")
[ -n "$ignored" ] || fail 'module-setup.sh: no text of messages that are left out'
checks 1 -j2
grep -qF "$ignored" err || fail "module-setup.sh does not leave this out: $(cat err)"
system '' 0 0 1
problem 'no memory is reserved for a capture kernel (crashkernel=)' /proc/vmcore mnt/disk1/a
system crashkernel=64G 0 0 1
problem "no memory is reserved for a capture kernel, although crashkernel= is on the kernel's command line; 'dmesg' may say why" /proc/vmcore mnt/disk1/a
# Not of interest if this kernel captures.
echo core > core
checks 0 -c -j2 core mnt/disk1/a
expect_err ''

# The firmware-assisted dump of POWER: nothing is reserved or loaded for kexec.
system 'fadump=on crashkernel=1G' 0 0 1
mkdir sys/kernel/fadump
echo 1 > sys/kernel/fadump/registered
echo 1073741824 > sys/kernel/fadump/mem_reserved
checks 0 -c -j2 /proc/vmcore mnt/disk1/a
expect_err ''
checks 0 -v -c -j2 /proc/vmcore mnt/disk1/a
sed -n 3,4p err > fadump
mv fadump err
told 'nsplit: ok: 1.0 GiB reserved for a capture kernel (crashkernel=)
nsplit: ok: the firmware starts a capture kernel after a crash (fadump)'
rm -r sys/kernel/fadump

# Unknown.
system '' - - 1
checks 0 -c -j2 /proc/vmcore mnt/disk1/a
expect_err ''
checks 0 -v -c -j2 /proc/vmcore mnt/disk1/a
grep ': not checked:' err > unknown
mv unknown err
told 'nsplit: not checked: the memory that is reserved for a capture kernel: this kernel does not report it
nsplit: not checked: whether a capture kernel is loaded: this kernel does not report it
nsplit: not checked: memory: the available amount is unknown
nsplit: not checked: the memory that the initramfs of the capture kernel takes
nsplit: not checked: the compression ratio and the speed of the outputs'

# A kernel without kexec: sysfs is there, but has no such file.
echo 1 > sys/kernel/fscaps
no_kexec='this kernel has no kexec (/sys/kernel/kexec_crash_loaded does not exist), so a crash makes no dump'
problem "$no_kexec" /proc/vmcore mnt/disk1/a
problem "$no_kexec"
rm sys/kernel/fscaps

# A disk that is not mounted; also for a directory on it, through a link, and with a space.
system crashkernel=256M 268435456 1 1
mounted=
mkdir -p mnt/disk2/crash 'mnt/a disk'
ln -s mnt/disk2/crash link
printf 'LABEL=crash1 %s ext4 nofail 0 2\n' "$root/mnt/disk2" "$root/mnt/a\\040disk" > fstab
here=$(stat -c %m .)
for output in mnt/disk2/a mnt/disk2/crash/a link/a 'mnt/a disk/a'; do
	disk=$root/mnt/disk2
	[ "$output" != 'mnt/a disk/a' ] || disk="$root/mnt/a disk"
	problem "$output: $disk has a line in /etc/fstab but is not mounted, so the dump would be written to the file system of $here" /proc/vmcore "$output"
done
# Beside it.
mkdir mnt/disk22
checks 0 -c -j2 /proc/vmcore mnt/disk22/a
expect_err ''

# A file system that cannot be written.
mounted=yes
sed -i 's/-o loop/-o loop,ro/' within
problem 'mnt/disk1/a: cannot be written: Read-only file system' /proc/vmcore mnt/disk1/a
