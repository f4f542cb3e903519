# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For "make bench", not for tests: how well zram, zswap and their pools compress the files in
# DENSITY_DATA, a directory, with all algorithms of this kernel and with 842.  The report has the values.
#
# SCENARIO.model.log has the same values of a model (host/pools.awk) of ztree, a pool that no kernel
# has.  The models of zbud and zsmalloc, as they are in Linux 6.1, must give exactly what was measured.
# The sizes of the objects are those that zswap stored (SCENARIO.sizes.log).

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
	truncate -s 16M sizes.img
	density_image
	machine_run "$memory" image.cpio.gz ''
	checks_of_machine
	tr -d '\0' < sizes.img > "$logs/$scenario.sizes.log"
}

# density_model DISK POOL [MODEL]: prints the objects and bytes of a pool with the sizes of the objects
# that were stored in POOL
density_model() {
	sed -n "s/^$1 $2 //p" "$logs/$scenario.sizes.log" |
		awk -v pool="${3:-$2}" -f "$here/host/pools.awk"
}

density_models() {
	sed -n 's/^value disk-//p' "$report" > names
	: > "$logs/$scenario.model.log"
	while read -r disk name; do
		for pool in zsmalloc zbud; do
			same "$name: objects and bytes in $pool, and by its model" \
				"$(value "zswap-$disk-$pool")" "$(density_model "$disk" $pool)"
		done
		# Like zbud, it can write objects back, so they have a header of zswap.
		printf 'value model-%s-ztree %s\n' "$disk" "$(density_model "$disk" zbud ztree)" \
			>> "$logs/$scenario.model.log"
	done < names
}

density_machine
case $kernel_version in
6.1.*) density_models ;;
*)
	: > "$logs/$scenario.model.log"
	printf '        without models, which are those of Linux 6.1\n'
	;;
esac
