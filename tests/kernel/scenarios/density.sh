# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For "make bench", not for tests: how well zram, zswap and their pools compress the files in
# DENSITY_DATA, a directory, with all algorithms of this kernel.  The report has the values.

memory=640

density_machine() {
	for data in "${DENSITY_DATA:?a directory of files}"/*; do
		cp "$data" "$(basename "$data").img"
	done
	truncate -s 512M swap.img
	image_begin image density.sh
	image_modules virtio_pci virtio_blk crc32c_generic zram zsmalloc z3fold \
		lzo lzo-rle lz4 lz4hc zstd deflate
	# Some kernels do not have it.
	modprobe -S "$kernel_version" -n 842 2> modprobe.err && image_modules 842
	image_pack image.cpio.gz 1
	rm -rf image
	machine_run "$memory" image.cpio.gz ''
	checks_of_machine
}

density_machine
