# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One emulated machine at a time: two CPUs in software emulation (KVM may exist but not work), disks
# that are files, and two serial ports: one for the console and one for the report, so that no
# kernel message appears between two report lines.  The kernel is amd64, or arm64 if machine_arch
# says so.

machine_pid=
machine_arch=amd64
# A time-out for a machine that hangs.  Where CPUs are slow and shared, a machine has taken half an
# hour.
machine_limit=3600
# yes: after a reboot the machine continues with the same disks
machine_reboots=no

# machine_disks NAME COUNT SIZE: makes NAME0.img to NAMEn.img; the machine sees them under these
# names
machine_disks() {
	machine_n=0
	while [ $machine_n -lt "$2" ]; do
		truncate -s "$3" "$1$machine_n.img"
		machine_n=$((machine_n + 1))
	done
}

# machine_run MEMORY IMAGE COMMAND-LINE [SUFFIX]: runs a machine with all disks (*.img) of this
# directory until it powers off.  The logs of a scenario's second machine have a suffix.
machine_run() {
	machine_log=$logs/$scenario${4:-}
	console=$machine_log.console.log
	report=$machine_log.report.log
	machine_memory=$1
	machine_image=$2
	machine_append="quiet panic=-1 $3"
	rm -f "$console" "$report"
	machine_of_arch
	# shellcheck disable=SC2086
	set -- $machine_options
	[ "$machine_reboots" = yes ] || set -- "$@" -no-reboot
	for machine_file in *.img; do
		[ -e "$machine_file" ] || continue
		machine_name=${machine_file%.img}
		# An identifier must begin with a letter.
		set -- "$@" \
			-drive "file=$machine_file,format=raw,if=none,cache=unsafe,werror=report,id=disk-$machine_name" \
			-device "virtio-blk-pci,drive=disk-$machine_name,serial=$machine_name"
	done
	timeout -k 5 "$machine_limit" "$machine_qemu" -accel tcg,thread=multi \
		-m "$machine_memory" -smp "${cpus_of_machine:-2}" -nodefaults -display none \
		-monitor none -serial "file:$console" \
		-kernel "$kernel" -initrd "$machine_image" -append "$machine_append" \
		"$@" < /dev/null &
	machine_pid=$!
	machine_status=0
	wait "$machine_pid" || machine_status=$?
	machine_pid=
	# If QEMU did not start, the file does not exist.
	touch report.raw
	tr -d '\r' < report.raw > "$report"
	rm -f report.raw
}

# Sets machine_qemu and machine_options, and adds to machine_append.
machine_of_arch() {
	case $machine_arch in
	arm64)
		machine_qemu=qemu-system-aarch64
		# The processor has pages of 4, 16 and 64 KiB.  The machine has one serial port; on PCI, a
		# second one is the first of its kind.
		machine_options='-M virt -cpu cortex-a76 -chardev file,id=report,path=report.raw
			-device pci-serial,chardev=report'
		machine_append="console=ttyAMA0 report_port=/dev/ttyS0 $machine_append"
		;;
	*)
		machine_qemu=qemu-system-x86_64
		machine_options='-cpu max -serial file:report.raw'
		machine_append="console=ttyS0 $machine_append"
		;;
	esac
}

# machine_stop: ends the machine if it is still running
machine_stop() {
	[ -z "$machine_pid" ] || {
		kill "$machine_pid" || :
		wait "$machine_pid" || :
		machine_pid=
	} 2> /dev/null
}

# machine_file DISK FILE COPY: copies a file from an ext4 disk without mounting it
machine_file() {
	debugfs -R "dump /$2 $3" "$1.img" > debugfs.log 2>&1 && [ -s "$3" ]
}
