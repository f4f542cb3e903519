# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The requirements of check-kernels.

# Each program, with its Debian package.
needs_programs='
qemu-system-x86_64	qemu-system-x86
busybox			busybox-static
kexec			kexec-tools
makedumpfile		makedumpfile
gdb			gdb
cpio			cpio
gzip			gzip
xz			xz-utils
zstd			zstd
mke2fs			e2fsprogs
depmod			kmod
flock			util-linux
timeout			coreutils
strip			binutils
readelf			binutils
fusermount3		fuse3
python3			python3-venv
dpkg			dpkg
apt-get			apt
'

# For the arm64 machines, in addition.
needs_arm64_programs='
qemu-system-aarch64	qemu-system-arm
aarch64-linux-gnu-gcc	gcc-aarch64-linux-gnu
'

# A machine's disks, and the forms of its core.
needs_mib=6144

needs_skip() {
	printf 'check-kernels: skipped: %s\n' "$*"
	exit 0
}

# needs_or_skip MACHINE...
needs_or_skip() {
	[ "$(uname -m)" = x86_64 ] || needs_skip 'this machine is not x86_64'
	case "$*" in
	*arm64*) needs_programs=$needs_programs$needs_arm64_programs ;;
	esac
	needs_missing=$(printf '%s' "$needs_programs" |
		while read -r needs_program needs_package; do
			[ -z "$needs_program" ] || command -v "$needs_program" > /dev/null ||
				printf '%s (Debian: %s), ' "$needs_program" "$needs_package"
		done)
	[ -z "$needs_missing" ] || needs_skip "not installed: ${needs_missing%, }"
	[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] ||
		needs_skip "the keys of Debian's archive are missing (Debian: debian-archive-keyring)"
	if ldd "$(command -v busybox)" > /dev/null 2>&1; then
		needs_skip 'busybox needs shared libraries (Debian: busybox-static)'
	fi
	needs_free=$(df -Pk "${TMPDIR:-/tmp}" | awk 'NR == 2 { print int($4 / 1024) }')
	[ "${needs_free:-0}" -ge $needs_mib ] ||
		needs_skip "${TMPDIR:-/tmp} has ${needs_free:-no} MiB free and not $needs_mib; set TMPDIR"
}
