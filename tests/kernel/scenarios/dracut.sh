# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The capture initramfs that Debian's dracut makes with our module, as on Fedora and RHEL with
# kdump-utils: core_collector in kdump.conf, and the further disks in nsplit-disks.conf.
# tests/kernel/guest/99kdump-lines takes the place of kdump-utils, which is not in Debian.

memory=1024
crashkernel=256
# On an error, dracut must not wait in a shell.
append='nr_cpus=2 root=kdump rd.shell=0 rd.emergency=reboot'

# dracut looks for modules in one directory only.
dracut_modules() {
	cp -r /usr/lib/dracut dracut
	ln -s "$installed/lib/dracut/modules.d/95nsplit" dracut/modules.d/
	cp -r "$here/guest/99kdump-lines" dracut/modules.d/
	cp "$here/guest/lib.sh" dracut/
	case $dump_level in
	0) echo 'core_collector nsplit -c' ;;
	*) echo "core_collector nsplit -c -d $dump_level" ;;
	esac > etc/kdump.conf
}

# dracut_image FILE: makes it with the drivers of this machine only
dracut_image() {
	mkdir conf.d
	if ! env dracutbasedir="$PWD/dracut" NSPLIT_ETC="$PWD/etc" IN_KDUMP=1 \
		dracut --conf /dev/null --confdir "$PWD/conf.d" --tmpdir "$PWD" \
		--kver "$kernel_version" --no-hostonly --no-early-microcode --compress 'gzip -9' \
		--modules 'dash base udev-rules' --add 'nsplit kdump-lines' \
		--drivers 'virtio_pci virtio_blk crc32c_generic ext4' "$1" \
		> dracut.log 2>&1; then
		failed "dracut makes the initramfs: $(tail -n 20 dracut.log)"
		return 1
	fi
	passed "dracut makes the initramfs: $(($(stat -c %s "$1") >> 20)) MiB"
	rm -rf dracut
}

dracut_checks() {
	dump_said 'kdump: saving vmcore complete'
	saved=$(value saved)/vmcore
	try "$saved is on the disk of kdump" machine_file target "$saved" member0
	extra=$(dump_extra)
	[ -n "$extra" ] || {
		failed 'the further disk was not mounted'
		return
	}
	try "$extra is on the further disk" machine_file extra "$extra" member1
	dump_checks member0 member1 bare.img
}

dump_machine() {
	dump_disks
	if dump_install && dracut_modules && dracut_image capture.img && dump_run capture.img; then
		dracut_checks
	fi
}

dump_levels 31 0
