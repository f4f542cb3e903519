# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The initramfs that initramfs-tools makes with our hook, in a capture kernel: it saves the dump to
# its disks before it looks for a root file system, and reboots.

memory=1024
crashkernel=256
append='nr_cpus=2 panic=-1'

# initramfs_configured: makes an /etc/initramfs-tools for a machine with these disks only
initramfs_configured() {
	mkdir -p conf/conf.d conf/hooks conf/scripts/init-top conf/scripts/init-premount
	printf '%s\n' MODULES=list BUSYBOX=y COMPRESS=gzip > conf/initramfs.conf
	printf '%s\n' virtio_pci virtio_blk crc32c_generic ext4 > conf/modules
	echo NSPLIT_CAPTURE=y > conf/conf.d/nsplit
	ln -s "$installed/share/initramfs-tools/hooks/nsplit" conf/hooks/
	# Symbolic links are not accepted here.
	cp "$installed/share/initramfs-tools/scripts/init-premount/nsplit" \
		conf/scripts/init-premount/
	cp "$here/guest/initramfs-reference" conf/scripts/init-top/reference
	chmod +x conf/scripts/init-top/reference
	cp "$here/guest/lib.sh" conf/scripts/test-lib.sh
}

# initramfs_image FILE
initramfs_image() {
	if ! env NSPLIT_ETC="$PWD/etc" NSPLIT_PROGRAMS="$installed_bin" \
		NSPLIT_SCRIPTS="$(dirname "$(find "$PWD/root" -name nsplit-find-disks -path '*/nsplit/*' ! -path '*/dracut/*')")" \
		TMPDIR="$PWD" mkinitramfs -d "$PWD/conf" -o "$1" "$kernel_version" \
		> mkinitramfs.log 2>&1; then
		failed "initramfs-tools makes the initramfs: $(tail -n 20 mkinitramfs.log)"
		return 1
	fi
	passed "initramfs-tools makes the initramfs: $(($(stat -c %s "$1") >> 20)) MiB"
	# mdadm's hook, if installed, wants the module md.
	same 'without a message' "$(grep -v '^W: \(mkconf\|mdadm\): ' mkinitramfs.log)" ''
}

initramfs_checks() {
	extra=$(dump_extra)
	[ -n "$extra" ] || {
		failed 'nothing was saved'
		return
	}
	try "$extra is on the disk" machine_file extra "$extra" member0
	dump_checks member0 bare.img
}

dump_machine() {
	dump_disks
	[ "$dump_level" -eq 0 ] || echo "dump-level = $dump_level" >> etc/nsplit.conf
	if dump_install && initramfs_configured && initramfs_image capture.img &&
		dump_run capture.img; then
		initramfs_checks
	fi
}

# The first one is not that of the scenario dracut: half of the scenarios has both.
dump_levels 0 31
