# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian's kernels in the cache: $cache/kernels/RELEASE has vmlinuz, modules/ and, if asked for,
# vmlinux with debug information.

# kernel_release VERSION FLAVOUR: prints the release of the newest kernel of this version, such as
# 7.3.4+deb13-amd64 for 7.3 amd64.  The flavour is amd64, arm64 or arm64-16k.
kernel_release() {
	# A pattern, since names alone also include packages that others merely depend on.
	packages_run apt-cache search --names-only \
		"^linux-image-$(printf '%s' "$1" | sed 's/\./\\./g')[.-][0-9][^-]*(-[0-9]+)?-$2\$" |
		sed 's/^linux-image-\([^ ]*\).*/\1/' | sort -V | tail -n 1
}

# kernel_arch RELEASE-OR-FLAVOUR: its Debian architecture
kernel_arch() {
	case $1 in
	*arm64*) echo arm64 ;;
	*) echo amd64 ;;
	esac
}

# kernel_get RELEASE: fetches and unpacks it
kernel_get() {
	packages_once "$cache/kernels/$1/vmlinuz" kernel_unpack "$1"
}

kernel_unpack() {
	kernel_dir=$cache/kernels/$1
	kernel_new=$kernel_dir.new
	kernel_tree=$kernel_new/tree
	rm -rf "$kernel_new"
	mkdir -p "$kernel_new"
	kernel_packages "$1" || return 1
	kernel_of_arch=$(kernel_arch "$1")
	for kernel_package in $kernel_names; do
		packages_unpack "$kernel_tree" "$kernel_package:$kernel_of_arch" || return 1
	done
	# /lib/modules of 5.10 to 6.1; the kernel itself is there since 6.19.
	[ -d "$kernel_tree/usr/lib/modules" ] || {
		mkdir -p "$kernel_tree/usr/lib"
		mv "$kernel_tree/lib/modules" "$kernel_tree/usr/lib/"
	}
	for kernel_file in "$kernel_tree/boot/vmlinuz-$1" "$kernel_tree/usr/lib/modules/$1/vmlinuz"; do
		[ ! -e "$kernel_file" ] || mv "$kernel_file" "$kernel_new/vmlinuz"
	done
	[ -e "$kernel_new/vmlinuz" ] || {
		echo "the packages of kernel $1 have no vmlinuz" >&2
		return 1
	}
	mkdir -p "$kernel_new/modules/lib/modules"
	mv "$kernel_tree/usr/lib/modules/$1" "$kernel_new/modules/lib/modules/" || return 1
	rm -rf "$kernel_tree"
	depmod -b "$kernel_new/modules" "$1" || return 1
	rm -rf "$kernel_dir"
	mv -T "$kernel_new" "$kernel_dir"
}

# Sets kernel_names: since 6.19, the lists of modules, the image and the modules are packages of their
# own.  Some of these leave a suite earlier than the others.
kernel_packages() {
	kernel_names=$(packages_run apt-cache search --names-only \
		"^linux-(base|binary|modules)-$(printf '%s' "$1" | sed 's/[.+]/\\&/g')\$" | sed 's/ .*//')
	[ -n "$kernel_names" ] || kernel_names=linux-image-$1
	case $kernel_names in
	linux-image-* | *linux-modules-*) ;;
	*)
		echo "no suite has the modules of $1 any more" >&2
		return 1
		;;
	esac
}

# kernel_vmlinux RELEASE: fetches the kernel with debug information, and prints its path
kernel_vmlinux() {
	packages_once "$cache/kernels/$1/vmlinux" kernel_vmlinux_unpack "$1" || return 1
	printf '%s\n' "$cache/kernels/$1/vmlinux"
}

kernel_vmlinux_unpack() {
	kernel_dir=$cache/kernels/$1
	kernel_new=$kernel_dir/debug.new
	rm -rf "$kernel_new"
	packages_unpack "$kernel_new" "linux-image-$1-dbg:$(kernel_arch "$1")" || return 1
	kernel_file=$(find "$kernel_new" -name "vmlinux*" -type f | head -n 1)
	[ -n "$kernel_file" ] || {
		echo "the package linux-image-$1-dbg has no vmlinux" >&2
		return 1
	}
	mv "$kernel_file" "$kernel_dir/vmlinux" && rm -rf "$kernel_new"
}

# kernel_modules RELEASE DIRECTORY NAME...: copies modules and those that they require to a directory,
# uncompressed, since busybox cannot unpack them, and appends their names to its file "order"
kernel_modules() {
	kernel_of=$1
	kernel_into=$2
	shift 2
	for kernel_module; do
		# A module that is built into this kernel has no file.
		modprobe -d "$cache/kernels/$kernel_of/modules" -S "$kernel_of" --show-depends \
			"$kernel_module" > "$kernel_into/depends" || return 1
		sed -n 's/^insmod \([^ ]*\).*/\1/p' "$kernel_into/depends" > "$kernel_into/files"
		while read -r kernel_file; do
			kernel_module_add || return 1
		done < "$kernel_into/files"
	done
	rm -f "$kernel_into/depends" "$kernel_into/files"
}

# Adds kernel_file to kernel_into.
kernel_module_add() {
	kernel_name=$(basename "$kernel_file" .xz)
	! grep -qx "$kernel_name" "$kernel_into/order" 2> /dev/null || return 0
	case $kernel_file in
	*.xz) xz -dc "$kernel_file" > "$kernel_into/$kernel_name" || return 1 ;;
	*) cp "$kernel_file" "$kernel_into/$kernel_name" || return 1 ;;
	esac
	printf '%s\n' "$kernel_name" >> "$kernel_into/order"
}
