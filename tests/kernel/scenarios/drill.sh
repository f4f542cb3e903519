# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A drill, and the crash that follows: the time and the memory of both, on machines of different sizes.

# drill_machine MEMORY CRASHKERNEL CPUS: in MiB, MiB, and nr_cpus
drill_machine() {
	machine_disks out 2 192M
	image_begin capture drilled.sh
	image_modules virtio_pci virtio_blk
	image_programs nsplit
	image_pack capture.cpio.gz
	image_begin first drill.sh
	image_modules virtio_pci virtio_blk
	# That of busybox cannot write zeros.
	image_programs kexec nsplit njoin blkdiscard
	mkdir "$image/scripts"
	cp "$srcdir"/kdump/common/nsplit-* "$image/scripts/"
	cp "$here/guest/crash.sh" "$kernel" "$image/"
	mv "$image/${kernel##*/}" "$image/vmlinuz"
	mv capture.cpio.gz "$image/"
	printf 'nr_cpus=%s\n' "$3" > "$image/append"
	# As kdump-tools has it, from which the drill takes the CPUs.
	mkdir -p "$image/etc/default" "$image/usr/sbin"
	printf 'KDUMP_CMDLINE_APPEND="nr_cpus=%s"\n' "$3" > "$image/etc/default/kdump-tools"
	: > "$image/usr/sbin/kdump-config"
	image_pack first.cpio.gz 1
	rm -rf capture first
	machine_run "$1" first.cpio.gz "crashkernel=${2}M" "-$1-$2-$3"
	rm -f first.cpio.gz
	checks_of_machine
	try "$1 MiB, crashkernel=${2}M, nr_cpus=$3: the dump is complete" njoin -q --verify out0.img out1.img
	printf '%s %s %s %s %s\n' "$1" "$2" "$3" "$(value drill)" "$(value crash)" >> machines
	rm -f out?.img
}

: > machines
[ -n "${NSPLIT_SHORT-}" ] || {
	drill_machine 768 256 1
	drill_machine 1024 256 2
	drill_machine 1536 512 2
}
drill_machine 1024 256 1
printf '        | memory, MiB | crashkernel | nr_cpus | drill: kept, MiB | s | peak, MiB | crash: kept, MiB | s | peak, MiB |\n'
sort -n machines | sed 's/ / | /g; s/^/        | /; s/$/ |/'
