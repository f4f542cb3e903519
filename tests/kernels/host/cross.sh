# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Another architecture: packages of Debian to build nsplit against and to fill machines with, nsplit itself, built
# by a cross compiler, and the emulator that runs programs for it on this machine.
#
# The caller sets cache, srcdir and builddir, and has read packages.sh.  Nothing is installed.

# cross_for ARCHITECTURE: chooses it, by Debian's name; riscv64 is in Debian since trixie
cross_for() {
	cross_arch=$1
	cross_suite=bookworm
	case $1 in
	arm64) cross_cpu=aarch64 cross_triplet=aarch64-linux-gnu ;;
	ppc64el) cross_cpu=ppc64le cross_triplet=powerpc64le-linux-gnu ;;
	riscv64) cross_cpu=riscv64 cross_triplet=riscv64-linux-gnu cross_suite=trixie ;;
	s390x) cross_cpu=s390x cross_triplet=s390x-linux-gnu ;;
	*)
		echo "unknown architecture $1" >&2
		return 1
		;;
	esac
}

# Machines of another architecture than this one are arm64.
cross_for arm64

# To build nsplit; check and libkdumpfile for its unit tests.  On riscv64, gcc links libatomic with threads.
cross_libraries='libc6-dev liblzo2-dev libsnappy-dev liblz4-dev libzstd-dev libdeflate-dev zlib1g-dev
	libxxhash-dev libfuse3-dev libblkid-dev nettle-dev check libkdumpfile-dev'
# For the machines.
cross_tools='busybox-static kexec-tools fuse3'

# cross_missing: prints why nsplit cannot be built, or nothing
cross_missing() {
	command -v "$cross_triplet-gcc" > /dev/null ||
		echo "$cross_triplet-gcc is not installed (Debian: gcc-$cross_triplet)"
}

# cross_sysroot: unpacks these packages and all that they depend on into $cache/$cross_arch/root
cross_sysroot() {
	cross_root=$cache/$cross_arch/root
	# Several words.
	# shellcheck disable=SC2086,SC2046
	packages_root "$cross_root" "$cross_suite" "$cross_arch" $cross_libraries \
		$(case $cross_arch in arm64) echo "$cross_tools" ;; riscv64) echo libatomic1 ;; esac)
}

# cross_nsplit: builds nsplit in $builddir/ARCHITECTURE, where make knows what has changed
cross_nsplit() {
	cross_build=$builddir/$cross_arch
	cross_log=$builddir/$cross_arch-build.log
	mkdir -p "$cross_build"
	cross_make > "$cross_log" 2>&1 || {
		echo "nsplit cannot be built for $cross_arch; $cross_log ends with:" >&2
		tail -n 5 "$cross_log" >&2
		return 1
	}
}

cross_make() (
	cd "$cross_build" || exit 1
	[ -e Makefile ] || cross_configure || exit 1
	# A static program, for the machines.
	# shellcheck disable=SC2046
	make -j "$(nproc)" all $([ "$cross_arch" != arm64 ] || echo tests/kernels/fill)
)

# pkg-config must not find this machine's libraries.
cross_configure() {
	env CONFIG_SITE=/dev/null PKG_CONFIG_PATH= PKG_CONFIG_SYSROOT_DIR="$cross_root" \
		PKG_CONFIG_LIBDIR="$cross_root/usr/lib/$cross_triplet/pkgconfig:$cross_root/usr/share/pkgconfig" \
		"$srcdir/configure" --silent --host="$cross_triplet" \
		CC="$cross_triplet-gcc --sysroot=$cross_root"
}

# cross_programs IMAGE FILE...: copies programs to IMAGE/bin, and the loader and libraries that they
# need, out of the root, to IMAGE/lib
cross_programs() {
	cross_image=$1
	shift
	mkdir -p "$cross_image/bin" "$cross_image/lib"
	for cross_file; do
		"$cross_triplet-strip" -o "$cross_image/bin/$(basename "$cross_file")" "$cross_file" &&
			cross_libraries_of "$cross_file" || return 1
	done
}

# Copies what a program or library needs, and what that needs, unless it was copied before.
cross_libraries_of() {
	"$cross_triplet-readelf" -d "$1" |
		sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | while read -r cross_name; do
		[ ! -e "$cross_image/lib/$cross_name" ] || continue
		cross_found=$(find "$cross_root/usr/lib/$cross_triplet" "$cross_root/usr/lib" -maxdepth 1 \
			-name "$cross_name" | head -n 1)
		[ -n "$cross_found" ] || {
			echo "$1 needs $cross_name, which $cross_root does not have" >&2
			exit 1
		}
		cp -L "$cross_found" "$cross_image/lib/$cross_name" || exit 1
		(cross_libraries_of "$cross_found") || exit 1
	done
}

# cross_emulator: makes QEMU's emulation of single programs available
cross_emulator() {
	cross_into=$cache/tools/qemu-user
	cross_qemu=$cross_into/usr/bin/qemu-$cross_cpu-static
	packages_once "$cross_into" cross_emulator_get
}

cross_emulator_get() {
	rm -rf "$cross_into.new"
	packages_unpack "$cross_into.new" qemu-user-static/bookworm && mv -T "$cross_into.new" "$cross_into"
}
