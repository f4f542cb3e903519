# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One emulated machine at a time: two CPUs of QEMU's own making (KVM may be there
# and not work), disks that are files, and two serial ports: the console, and the
# report, in which no message of a kernel stands between two lines.

machine_pid=
# What may never be reached: a machine that hangs must not hang CI.  Where CPUs are slow and
# shared, one has taken half an hour.
machine_limit=3600
# yes: a machine that reboots goes on, with the same disks
machine_reboots=no

# machine_disks NAME COUNT SIZE: NAME0.img to NAMEn.img, known by these names inside
machine_disks() {
	machine_n=0
	while [ $machine_n -lt "$2" ]; do
		truncate -s "$3" "$1$machine_n.img"
		machine_n=$((machine_n + 1))
	done
}

# machine_run MEMORY IMAGE COMMAND-LINE [SUFFIX]: with all disks (*.img) of this directory,
# until it powers itself off.  A second machine of a scenario has its logs under a suffix.
machine_run() {
	machine_log=$logs/$scenario${4:-}
	console=$machine_log.console.log
	report=$machine_log.report.log
	machine_memory=$1
	machine_image=$2
	machine_append="console=ttyS0 quiet panic=-1 $3"
	rm -f "$console" "$report"
	set -- -no-reboot
	[ "$machine_reboots" = no ] || set --
	for machine_file in *.img; do
		[ -e "$machine_file" ] || continue
		machine_name=${machine_file%.img}
		# An identifier has to begin with a letter.
		set -- "$@" \
			-drive "file=$machine_file,format=raw,if=none,cache=unsafe,werror=report,id=disk-$machine_name" \
			-device "virtio-blk-pci,drive=disk-$machine_name,serial=$machine_name"
	done
	timeout -k 5 "$machine_limit" qemu-system-x86_64 -accel tcg,thread=multi -cpu max \
		-m "$machine_memory" -smp "${cpus_of_machine:-2}" -nodefaults -display none \
		-monitor none -serial "file:$console" -serial file:report.raw \
		-kernel "$kernel" -initrd "$machine_image" -append "$machine_append" \
		"$@" < /dev/null &
	machine_pid=$!
	machine_status=0
	wait "$machine_pid" || machine_status=$?
	machine_pid=
	# Not there if QEMU did not even start.
	touch report.raw
	tr -d '\r' < report.raw > "$report"
	rm -f report.raw
}

# Ends the machine that is still running, if any.
machine_stop() {
	[ -z "$machine_pid" ] || {
		kill "$machine_pid" || :
		wait "$machine_pid" || :
		machine_pid=
	} 2> /dev/null
}

# machine_file DISK FILE COPY: a file of an ext4 disk, without mounting it
machine_file() {
	debugfs -R "dump /$2 $3" "$1.img" > debugfs.log 2>&1 && [ -s "$3" ]
}
