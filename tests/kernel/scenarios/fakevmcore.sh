# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel module: built here, tested in a machine whose kernel checks its memory, and timed in
# one whose kernel does not.  tests/kernels/check-fakevmcore.sh does the same with other kernels,
# untimed.

memory=640
# Checks every allocation, and overwrites freed memory.
watchful='slub_debug=FZPU page_poison=1'
sections='bytes as_a_file bad_pages captures refusals in_use ten_gib interrupted rounds'
codecs='raw lzo lzohc snappy lz4 lz4hc zstd zlib'
# Each of many kernels: without the thousands of rounds, which take minutes.
[ "$check" = check-kernel ] || {
	sections=${sections% rounds}
	codecs='lzo zstd'
}
[ -z "${NSPLIT_SHORT-}" ] || {
	watchful=
	sections='as_a_file bad_pages captures in_use ten_gib'
	codecs=lzo
}

fakevmcore_build() {
	mkdir module
	cp "$srcdir"/fakevmcore/*.[ch] "$srcdir/fakevmcore/Kbuild" module/
	module_make "$PWD/module" > make.log && [ -s module/fakevmcore.ko ] || {
		cat make.log
		failed 'the module builds'
		return 1
	}
	# kbuild also warns if the compiler or pahole is not exactly the kernel's.
	same 'it builds without a warning' "$(grep -v 'differs from the one used' make.log |
		grep -i -A 5 -e warning -e 'does not compile')" ''
}

fakevmcore_machine() {
	machine_disks file 4 256M
	for disk in file?.img; do
		mke2fs -q -t ext4 "$disk"
	done
	image_begin image fakevmcore.sh
	image_modules virtio_pci virtio_blk ext4
	# busybox's insmod tries twice, and the kernel logs the reason each time.
	image_programs nsplit njoin mkfakevmcore mapped insmod rmmod
	cp module/fakevmcore.ko "$image/"
	cp "$here/guest/refusals" "$image/"
	printf '%s\n' "sections='$sections'" "codecs='$codecs'" > "$image/amount.sh"
	image_pack image.cpio.gz 1
	rm -rf image
	machine_run "$memory" image.cpio.gz "$watchful"
	checks_of_machine
}

fakevmcore_rates() {
	rm -f file?.img
	image_begin image rates.sh
	image_programs mapped
	cp module/fakevmcore.ko "$image/"
	image_pack image.cpio.gz 1
	rm -rf image
	machine_run "$memory" image.cpio.gz '' -rates
	checks_of_machine
}

# Compares some MiB of 10 GiB with mkfakevmcore's output.
fakevmcore_ten_gib() {
	at=0
	mkfakevmcore --size=10G --block-size="$(value page_size)" - | for mib in 0 63 64 5000 10239; do
		printf '%s %s\n' "$mib" "$(dd bs=1M skip=$((mib - at)) count=1 \
			iflag=fullblock status=none | sha256sum)"
		at=$((mib + 1))
	done > want
	while read -r mib sum; do
		same "10 GiB: MiB $mib" "$(value "mib$mib")" "$sum"
	done < want
}

if fakevmcore_build; then
	fakevmcore_machine
	fakevmcore_ten_gib
	[ -n "${NSPLIT_SHORT-}" ] || [ "$check" != check-kernel ] || fakevmcore_rates
fi
