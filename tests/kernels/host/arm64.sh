# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# arm64: packages of Debian 12 to build nsplit against and to fill machines with, nsplit itself, built
# by a cross compiler, and the emulator that runs arm64 programs on this machine.
#
# The caller sets cache, srcdir and builddir, and has read packages.sh.  Nothing is installed.

arm64_triplet=aarch64-linux-gnu
arm64_suite=bookworm

# To build nsplit; check and libkdumpfile for its unit tests.
arm64_libraries='libc6-dev liblzo2-dev libsnappy-dev liblz4-dev libzstd-dev libdeflate-dev zlib1g-dev
	libxxhash-dev libfuse3-dev libblkid-dev nettle-dev check libkdumpfile-dev'
# For the machines.
arm64_tools='busybox-static kexec-tools fuse3'

# arm64_missing: prints why nsplit cannot be built for arm64, or nothing
arm64_missing() {
	command -v $arm64_triplet-gcc > /dev/null ||
		echo "$arm64_triplet-gcc is not installed (Debian: gcc-$arm64_triplet)"
}

# arm64_sysroot: unpacks these packages and all that they depend on into $cache/arm64/root
arm64_sysroot() {
	arm64_root=$cache/arm64/root
	# shellcheck disable=SC2086
	packages_root "$arm64_root" $arm64_suite arm64 $arm64_libraries $arm64_tools
}

# arm64_nsplit: builds nsplit for arm64 in $builddir/arm64, where make knows what has changed
arm64_nsplit() {
	arm64_build=$builddir/arm64
	arm64_log=$builddir/arm64-build.log
	mkdir -p "$arm64_build"
	arm64_make > "$arm64_log" 2>&1 || {
		echo "nsplit cannot be built for arm64; $arm64_log ends with:" >&2
		tail -n 5 "$arm64_log" >&2
		return 1
	}
}

arm64_make() (
	cd "$arm64_build" || exit 1
	[ -e Makefile ] || arm64_configure || exit 1
	make -j "$(nproc)" all tests/kernels/fill
)

# pkg-config must not find this machine's libraries.
arm64_configure() {
	env CONFIG_SITE=/dev/null PKG_CONFIG_PATH= PKG_CONFIG_SYSROOT_DIR="$arm64_root" \
		PKG_CONFIG_LIBDIR="$arm64_root/usr/lib/$arm64_triplet/pkgconfig:$arm64_root/usr/share/pkgconfig" \
		"$srcdir/configure" --silent --host=$arm64_triplet \
		CC="$arm64_triplet-gcc --sysroot=$arm64_root"
}

# arm64_programs IMAGE FILE...: copies programs to IMAGE/bin, and the loader and libraries that they
# need, out of the root, to IMAGE/lib
arm64_programs() {
	arm64_image=$1
	shift
	mkdir -p "$arm64_image/bin" "$arm64_image/lib"
	for arm64_file; do
		$arm64_triplet-strip -o "$arm64_image/bin/$(basename "$arm64_file")" "$arm64_file" &&
			arm64_libraries_of "$arm64_file" || return 1
	done
}

# Copies what a program or library needs, and what that needs, unless it was copied before.
arm64_libraries_of() {
	$arm64_triplet-readelf -d "$1" |
		sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | while read -r arm64_name; do
		[ ! -e "$arm64_image/lib/$arm64_name" ] || continue
		arm64_found=$(find "$arm64_root/usr/lib/$arm64_triplet" "$arm64_root/usr/lib" -maxdepth 1 \
			-name "$arm64_name" | head -n 1)
		[ -n "$arm64_found" ] || {
			echo "$1 needs $arm64_name, which $arm64_root does not have" >&2
			exit 1
		}
		cp -L "$arm64_found" "$arm64_image/lib/$arm64_name" || exit 1
		(arm64_libraries_of "$arm64_found") || exit 1
	done
}

# arm64_emulator: makes QEMU's emulation of single programs available
arm64_emulator() {
	arm64_into=$cache/tools/qemu-user
	arm64_qemu=$arm64_into/usr/bin/qemu-aarch64-static
	packages_once "$arm64_into" arm64_emulator_get
}

arm64_emulator_get() {
	rm -rf "$arm64_into.new"
	packages_unpack "$arm64_into.new" qemu-user-static/$arm64_suite && mv -T "$arm64_into.new" "$arm64_into"
}

# arm64_run ROOT PROGRAM ARGUMENT...: runs a program with the libraries in ROOT, the result of
# packages_root.  PROGRAM is a path, or the name of a program in ROOT.
arm64_run() {
	arm64_emulator || return 1
	arm64_of=$1
	arm64_program=$2
	shift 2
	case $arm64_program in
	*/*) ;;
	*) arm64_program=$(find "$arm64_of/usr/bin" "$arm64_of/usr/sbin" -name "$arm64_program" | head -n 1) ;;
	esac
	"$arm64_qemu" -L "$arm64_of" "$arm64_program" "$@"
}
