# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the emulated machine is made of, and whether it is here.

# Each program with its package in Debian.
needs_programs='
qemu-system-x86_64	qemu-system-x86
busybox			busybox-static
kexec			kexec-tools
makedumpfile		makedumpfile
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
'

needs_skip() {
	printf 'check-kernel: skipped: %s\n' "$*"
	exit 77
}

# The newest kernel that can be read, and has its modules and headers here.
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

needs_or_skip() {
	[ "$(uname -m)" = x86_64 ] || needs_skip 'this machine is no x86_64'
	printf '%s' "$needs_programs" | while read -r needs_program needs_package; do
		[ -z "$needs_program" ] || command -v "$needs_program" > /dev/null ||
			printf '%s (Debian: %s), ' "$needs_program" "$needs_package"
	done > "${TMPDIR:-/tmp}/nsplit-needs.$$"
	needs_missing=$(cat "${TMPDIR:-/tmp}/nsplit-needs.$$")
	rm -f "${TMPDIR:-/tmp}/nsplit-needs.$$"
	[ -z "$needs_missing" ] || needs_skip "not installed: ${needs_missing%, }"
	if ldd "$(command -v busybox)" > /dev/null 2>&1; then
		needs_skip 'busybox needs shared libraries (Debian: busybox-static)'
	fi
	needs_kernel
}
