# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Initramfs images: busybox, programs with their libraries, modules in the order in which they load,
# and a script.  Root is not required.  The programs and modules come from installed.sh, or from
# tests/kernels/host/cached.sh for kernels of other suites and architectures.

# image_begin DIR SCRIPT: begins an image that runs tests/kernel/guest/SCRIPT
image_begin() {
	image=$1
	mkdir -p "$image/bin" "$image/dev" "$image/disk" "$image/modules" "$image/mnt" \
		"$image/proc" "$image/sys" "$image/tmp"
	ln -s bin "$image/sbin"
	image_programs busybox
	cp "$here/guest/init" "$image/init"
	chmod +x "$image/init"
	cp "$here/guest/lib.sh" "$image/lib.sh"
	cp "$here/guest/$2" "$image/script.sh"
	: > "$image/modules/order"
}

# image_programs_here PROGRAM...: adds programs of this system, each a name or a path, with their shared
# libraries
image_programs_here() {
	for image_program; do
		image_file=$(command -v "$image_program") &&
			strip -o "$image/bin/$(basename "$image_program")" "$image_file" || return 1
		ldd "$image_file" 2> /dev/null | grep -o '/[^ ]*' | while read -r image_library; do
			mkdir -p "$image$(dirname "$image_library")"
			cp -L "$image_library" "$image$image_library"
		done
	done
}

# image_module_files FILE...: adds them in this order
image_module_files() {
	for image_file; do
		image_name=$(basename "$image_file")
		cp "$image_file" "$image/modules/"
		printf '%s\n' "$image_name" >> "$image/modules/order"
	done
}

# image_pack FILE [LEVEL]: compresses it as much as possible, or with LEVEL
image_pack() {
	(cd "$image" && find . | cpio --quiet -o -H newc) | gzip "-${2:-9}" > "$1"
}
