# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For "make bench", not for tests: how well zram, zswap and their pools compress the files in
# DENSITY_DATA, a directory, with all algorithms of this kernel and with 842.  The report has the values.

memory=640
# shellcheck source=tests/kernel/host/842.sh
. "$here/host/842.sh"

density_image() {
	image_begin image density.sh
	image_modules virtio_pci virtio_blk crc32c_generic zram zsmalloc z3fold \
		lzo lzo-rle lz4 lz4hc zstd deflate
	# Some kernels have it.
	if modprobe -S "$kernel_version" -n 842 2> modprobe.err; then
		image_modules 842
	elif modules=$(modules_842); then
		# shellcheck disable=SC2086
		image_module_files $modules
	else
		printf '        without 842: %s\n' "$modules"
	fi
	image_pack image.cpio.gz 1
	rm -rf image
}

density_machine() {
	for data in "${DENSITY_DATA:?a directory of files}"/*; do
		cp "$data" "$(basename "$data").img"
	done
	truncate -s 512M swap.img
	density_image
	machine_run "$memory" image.cpio.gz ''
	checks_of_machine
}

density_machine
