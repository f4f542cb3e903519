# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The requirements of the emulated machines.  The caller sets check, the name of the command.

# Each program, with its Debian package.
needs_programs='
qemu-system-x86_64	qemu-system-x86
busybox			busybox-static
kexec			kexec-tools
makedumpfile		makedumpfile
gdb			gdb
fusermount3		fuse3
cpio			cpio
gzip			gzip
mke2fs			e2fsprogs
debugfs			e2fsprogs
modprobe		kmod
insmod			kmod
rmmod			kmod
timeout			coreutils
make			make
gcc			gcc
strip			binutils
dracut			dracut-core
mkinitramfs		initramfs-tools-core
udevadm			udev
'

# Disks are sparse files; this is more than the largest machine writes.
needs_mib=3072

needs_skip() {
	printf '%s: skipped: %s\n' "$check" "$*"
	exit 0
}

# For the kdump scenarios.  The codecs' libraries are assumed to exist.
needs_codecs() {
	for needs_codec in lzo snappy lz4 zstd; do
		nsplit --list-codecs | grep -q "^$needs_codec\>" ||
			needs_skip "this nsplit was built without $needs_codec"
	done
}

needs_room() {
	needs_free=$(df -Pk "${TMPDIR:-/tmp}" | awk 'NR == 2 { print int($4 / 1024) }')
	[ "${needs_free:-0}" -ge $needs_mib ] ||
		needs_skip "${TMPDIR:-/tmp} has ${needs_free:-no} MiB free and not $needs_mib; set TMPDIR"
}

# The newest kernel that is readable and has its modules and headers here.
needs_kernel() {
	for needs_file in $(printf '%s\n' /boot/vmlinuz-* | sort -rV); do
		kernel_version=${needs_file#/boot/vmlinuz-}
		kernel=$needs_file
		[ -r "$kernel" ] && [ -d "/lib/modules/$kernel_version/kernel" ] &&
			[ -d "/lib/modules/$kernel_version/build" ] && return
	done
	needs_skip 'no kernel in /boot that can be read and has its modules and headers' \
		'(Debian: linux-image-amd64 linux-headers-amd64)'
}

# needs_installed PROGRAMS: each with its Debian package, one a line
needs_installed() {
	needs_missing=$(printf '%s' "$1" |
		while read -r needs_program needs_package; do
			[ -z "$needs_program" ] || command -v "$needs_program" > /dev/null ||
				printf '%s (Debian: %s), ' "$needs_program" "$needs_package"
		done)
	[ -z "$needs_missing" ] || needs_skip "not installed: ${needs_missing%, }"
	if ldd "$(command -v busybox)" > /dev/null 2>&1; then
		needs_skip 'busybox needs shared libraries (Debian: busybox-static)'
	fi
}

needs_or_skip() {
	[ "$(uname -m)" = x86_64 ] || needs_skip 'this machine is not x86_64'
	needs_installed "$needs_programs"
	needs_kernel
	needs_codecs
	needs_room
}
