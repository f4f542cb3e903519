# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How much of its reserved memory a capture kernel has available with an initramfs of dracut: with systemd, as
# on Fedora and RHEL, and without; and how large the initramfs is when it is unpacked.  The second table of
# doc/kdump.md.

# memory_dracut_image FILE MODULES: as for one machine: only the drivers of its disks
memory_dracut_image() {
	mkdir conf.d
	cp -r /usr/lib/dracut dracut
	ln -s "$installed/lib/dracut/modules.d/95nsplit" dracut/modules.d/
	cp -r "$here/guest/99memory-lines" dracut/modules.d/
	cp "$here/guest/lib.sh" dracut/
	if env dracutbasedir="$PWD/dracut" NSPLIT_ETC="$PWD/etc" IN_KDUMP=1 \
		dracut --conf /dev/null --confdir "$PWD/conf.d" --tmpdir "$PWD" \
		--kver "$kernel_version" --no-hostonly --no-early-microcode --compress 'gzip -9' \
		--modules "$2" --add 'nsplit memory-lines' \
		--drivers 'virtio_pci virtio_blk crc32c_generic ext4' "$1" > dracut.log 2>&1; then
		passed "dracut makes the initramfs: $(($(stat -c %s "$1") >> 20)) MiB"
	else
		failed "dracut makes the initramfs: $(tail -n 20 dracut.log)"
	fi
	unpacked=$(gzip -dc "$1" | wc -c | awk '{ printf "%.1f\n", $1 / 1048576 }')
	rm -rf dracut conf.d
}

# memory_dracut_machine CRASHKERNEL NAME MODULES
memory_dracut_machine() {
	memory_dracut_image capture.img "$3"
	image_begin first crash.sh
	image_programs kexec
	cp "$kernel" "$image/vmlinuz"
	mv capture.img "$image/capture.cpio.gz"
	echo 'nr_cpus=1 root=kdump rd.shell=0 rd.emergency=reboot' > "$image/append"
	image_pack first.cpio.gz 1
	rm -rf first
	machine_run 1024 first.cpio.gz "crashkernel=${1}M" "-$2-$1"
	rm -f first.cpio.gz
	checks_of_machine
	same "crashkernel=${1}M, $2: it boots" "$(value booted)" yes
	# crash_kernel_leaves_beside() in src/capture/memory/memory_limits.c
	try "crashkernel=${1}M, $2: the memory that --check-params expects is available" \
		awk -v reserved="$1" -v files="$unpacked" -v there="$(value available)" \
		'BEGIN { exit !(reserved * 31 / 32 - 81 - files <= there + 0) }'
	printf '%s %s %s %s %s\n' "$1" "$2" "$unpacked" "$(value total)" "$(value available)" >> machines
}

: > machines
mkdir etc
echo 'core_collector nsplit -c -d 31' > etc/kdump.conf
if dump_install; then
	with_systemd='dash systemd systemd-initrd systemd-journald systemd-udevd systemd-modules-load
		systemd-sysctl systemd-tmpfiles dracut-systemd base udev-rules fs-lib rootfs-block shutdown'
	memory_dracut_machine 256 systemd "$with_systemd"
	[ -n "${NSPLIT_SHORT-}" ] || {
		memory_dracut_machine 192 systemd "$with_systemd"
		memory_dracut_machine 512 systemd "$with_systemd"
		memory_dracut_machine 256 dash 'dash base udev-rules'
	}
	printf '        | crashkernel, MiB | initramfs with | unpacked, MiB | MemTotal | MemAvailable |\n'
	awk '{ print "        |", $1, "|", $2, "|", $3, "|", $4, "|", $5, "|" }' machines
fi
