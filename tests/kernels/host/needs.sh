# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The requirements of check-kernels, with functions of tests/kernel/host/needs.sh.

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
timeout			coreutils
strip			binutils
readelf			binutils
fusermount3		fuse3
python3			python3-venv
'

# For the arm64 machines, in addition.
needs_arm64_programs='
qemu-system-aarch64	qemu-system-arm
aarch64-linux-gnu-gcc	gcc-aarch64-linux-gnu
'

# A machine's disks, and the forms of its core.
needs_mib=6144

# needs_of_machines MACHINE...
needs_of_machines() {
	[ "$(uname -m)" = x86_64 ] || needs_skip 'this machine is not x86_64'
	case "$*" in
	*arm64*) needs_programs=$needs_programs$needs_arm64_programs ;;
	esac
	needs_installed "$needs_programs"
	[ -x "$builddir/tests/readers/compare" ] ||
		needs_skip 'nsplit was configured without libkdumpfile (Debian: libkdumpfile-dev)'
	needs_reason=$(packages_missing)
	[ -z "$needs_reason" ] || needs_skip "$needs_reason"
	needs_codecs
	needs_room
}
