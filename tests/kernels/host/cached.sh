# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a machine gets whose kernel is in the cache: modules of this kernel, modules built with its
# headers, and programs of its architecture.  tests/kernel/host/installed.sh has the same functions
# for an installed kernel.

# cached_begin RELEASE: fetches what the functions below need
cached_begin() {
	kernel_version=$1
	machine_arch=$(kernel_arch "$1")
	kernel_get "$1" && headers_get "$1" && headers_compiler "$1" || return 1
	kernel=$cache/kernels/$1/vmlinuz
	[ "$machine_arch" != arm64 ] || cached_arm64
}

# The programs for arm64.
cached_arm64() {
	cross_sysroot && cross_nsplit || return 1
	make -s -C "$cross_build" tests/kernel/mapped > /dev/null || return 1
	cached_kmod=$cache/arm64/kmod
	packages_root "$cached_kmod" "$cross_suite" arm64 kmod
}

# image_programs PROGRAM...: adds each with its shared libraries
image_programs() {
	if [ "$machine_arch" = arm64 ]; then
		for cached_program; do
			cached_add "$cached_program" || return 1
		done
	else
		image_programs_here "$@"
	fi
}

# Adds a program for arm64.
cached_add() {
	case $1 in
	busybox) cross_programs "$image" "$cross_root/usr/bin/busybox" ;;
	insmod | rmmod) (cross_root=$cached_kmod && cross_programs "$image" "$cross_root/usr/sbin/$1") ;;
	mapped) cross_programs "$image" "$cross_build/tests/kernel/mapped" ;;
	*) cross_programs "$image" "$cross_build/$1" ;;
	esac
}

# image_modules NAME...: adds each after the modules that it requires
image_modules() {
	kernel_modules "$kernel_version" "$image/modules" "$@"
}

# module_make DIRECTORY: builds the module in it, and prints what make says
module_make() {
	headers_make "$kernel_version" "$1" 2>&1
}
