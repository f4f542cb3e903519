#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The kernel module fakevmcore with Debian's kernels from 5.10 on, for amd64 and arm64: built with the
# headers and the compiler of the kernel's suite, and tested in QEMU's software emulation, as
# "make check-kernel SCENARIOS=fakevmcore" does with the installed kernel.  From the build directory:
#	make check-fakevmcore				all kernels
#	make check-fakevmcore KERNELS='5.10 arm64-7.3'	these only
# A name is VERSION for amd64, arm64-VERSION, or arm64-VERSION-16k for pages of 16 KiB; the newest
# package of this version is taken.  Packages are kept in the directory KERNELS_CACHE (default:
# nsplit-kernels in the user's cache directory).  NSPLIT_SHORT=1 leaves out what takes long.
#
# Prints a table at the end, as doc/tests.md has it.  The console and the report of each machine are kept
# in tests/kernels/fakevmcore-NAME.console.log and .report.log.
#
# Exit status: 0 all checks passed, or requirements are missing, as the last line says; 1 checks failed.

set -eu

LC_ALL=C
export LC_ALL
unset CDPATH
kernels=$(cd "$(dirname "$0")" && pwd)
srcdir=$(cd "$kernels/../.." && pwd)
# Where the scenario and its guest are.
here=$srcdir/tests/kernel
builddir=$(cd "${builddir:-.}" && pwd)
PATH=$builddir:$builddir/tests/kernel:$PATH:/usr/sbin:/sbin
logs=$builddir/tests/kernels
scratch=
check='check-fakevmcore'

# shellcheck source=tests/packages/debian-root.sh
. "$srcdir/tests/packages/debian-root.sh"
# shellcheck source=tests/kernel/host/needs.sh
. "$here/host/needs.sh"
# shellcheck source=tests/kernel/host/checks.sh
. "$here/host/checks.sh"
# shellcheck source=tests/kernel/host/image.sh
. "$here/host/image.sh"
# shellcheck source=tests/kernel/host/machine.sh
. "$here/host/machine.sh"
# shellcheck source=tests/kernels/host/packages.sh
. "$kernels/host/packages.sh"
# shellcheck source=tests/kernels/host/kernels.sh
. "$kernels/host/kernels.sh"
# shellcheck source=tests/kernels/host/headers.sh
. "$kernels/host/headers.sh"
# shellcheck source=tests/kernels/host/cross.sh
. "$kernels/host/cross.sh"
# shellcheck source=tests/kernels/host/cached.sh
. "$kernels/host/cached.sh"

programs='
qemu-system-x86_64	qemu-system-x86
busybox			busybox-static
cpio			cpio
gzip			gzip
xz			xz-utils
mke2fs			e2fsprogs
modprobe		kmod
insmod			kmod
rmmod			kmod
unshare			util-linux
strip			binutils
'
programs_arm64='
qemu-system-aarch64	qemu-system-arm
aarch64-linux-gnu-gcc	gcc-aarch64-linux-gnu
'

clean() {
	machine_stop
	[ -z "$scratch" ] || rm -rf "$scratch"
}

# shellcheck source=tests/at-exit.sh
. "$srcdir/tests/at-exit.sh"

requirements() {
	[ "$(uname -m)" = x86_64 ] || needs_skip 'this machine is not x86_64'
	[ "$(id -u)" -eq 0 ] || needs_skip 'a chroot with the compiler of another suite requires root'
	unshare --mount true 2> /dev/null || needs_skip 'this system does not allow mount namespaces'
	needs_installed "$programs"
	case " $* " in
	*' arm64-'*) needs_installed "$programs_arm64" ;;
	esac
	needs_reason=$(packages_missing)
	[ -z "$needs_reason" ] || needs_skip "$needs_reason"
	needs_codecs
	needs_room
}

# flavour_of NAME
flavour_of() {
	case $1 in
	arm64-*-16k) echo arm64-16k ;;
	arm64-*) echo arm64 ;;
	*) echo amd64 ;;
	esac
}

# version_of NAME
version_of() {
	printf '%s\n' "$1" | sed 's/^arm64-//; s/-16k$//'
}

# check_kernel NAME: builds, runs and tests the module with this kernel
check_kernel() {
	scenario=fakevmcore-$1
	console=
	check_release=$(kernel_release "$(version_of "$1")" "$(flavour_of "$1")")
	[ -n "$check_release" ] || {
		failed "no suite has a kernel $1"
		return
	}
	cached_begin "$check_release" || {
		failed "the packages of $check_release cannot be had"
		return
	}
	check_passed=$checks_passed
	check_failed=$checks_failed
	# shellcheck source=tests/kernel/scenarios/fakevmcore.sh
	. "$here/scenarios/fakevmcore.sh"
	table_row
}

# Adds the line of this kernel to the table.
table_row() {
	row_built=no
	row_loaded=no
	row_pages=0
	[ ! -s module/fakevmcore.ko ] || {
		row_built=yes
		row_pages=$(value page_size)
		! grep -q '^ok loads' "$report" || row_loaded=yes
	}
	row_passed=$((checks_passed - check_passed))
	row_all=$((row_passed + checks_failed - check_failed))
	printf '| %s | %s | %s KiB | gcc %s | %s | %s | %s of %s |\n' "$check_release" "$machine_arch" \
		"$((${row_pages:-0} / 1024))" "$(headers_gcc "$check_release")" "$row_built" "$row_loaded" \
		"$row_passed" "$row_all" >> "$scratch/table"
}

[ $# -gt 0 ] || set -- 5.10 6.1 6.12 7.3 arm64-6.12 arm64-7.3 arm64-7.3-16k
requirements "$@"
started=$(date +%s)
mkdir -p "$logs"
packages_cache
scratch=$(mktemp -d "${TMPDIR:-/tmp}/nsplit-fakevmcore.XXXXXX")
packages_begin || needs_skip "Debian's lists of packages cannot be fetched"
: > "$scratch/table"
for name; do
	printf '%s\n' "--- $name"
	mkdir "$scratch/$name"
	cd "$scratch/$name"
	check_kernel "$name"
	cd "$scratch"
	rm -rf "${scratch:?}/$name"
done
printf '| kernel | architecture | pages | compiler | built | loaded | checks passed |\n'
printf '|---|---|---|---|---|---|---|\n'
cat "$scratch/table"
checks_sum $(($(date +%s) - started))
