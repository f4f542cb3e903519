# shellcheck shell=sh
# shellcheck disable=SC2154 # the settings are made by words.sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One emulated machine, in this directory: it boots first.cpio.gz and powers off by itself.  Its disks
# are the files *.img, its console is the file console.

machine_pid=
machine_feeder=
# A time-out for a machine that hangs, in seconds.
machine_limit=1800

# machine_run RELEASE
machine_run() {
	machine_release=$1
	rm -f console monitor.in monitor.out
	: > console
	mkfifo monitor.in monitor.out
	machine_options
	# shellcheck disable=SC2086
	set -- $qemu_options
	for machine_disk in *.img; do
		machine_name=${machine_disk%.img}
		set -- "$@" -drive "file=$machine_disk,format=raw,if=none,cache=unsafe,id=disk-$machine_name" \
			-device "virtio-blk-pci,drive=disk-$machine_name,serial=$machine_name"
	done
	# shellcheck disable=SC2086
	timeout -k 5 "$machine_limit" $machine_qemu -accel "tcg,thread=$qemu_threads" -cpu "$qemu_cpu" \
		-m "${qemu_memory:-$memory}" -smp "$cpus" -nodefaults -display none -no-reboot \
		-serial file:console -monitor pipe:monitor \
		-kernel "$cache/kernels/$machine_release/vmlinuz" -initrd first.cpio.gz \
		-append "$machine_console quiet panic=-1 log_buf_len=1M crashkernel=$crashkernel $append" \
		"$@" < /dev/null > qemu.log 2>&1 &
	machine_pid=$!
	machine_feed &
	machine_feeder=$!
	machine_status=0
	wait "$machine_pid" || machine_status=$?
	machine_pid=
	machine_stop
	return $machine_status
}

# Sets machine_qemu and machine_console, for the command line of both kernels.  While it boots, a kernel
# counts interrupts of the timer for some milliseconds, in which a busy host may deliver none; then it
# panics.
machine_options() {
	case $(kernel_arch "$machine_release") in
	arm64)
		machine_qemu='qemu-system-aarch64 -M virt'
		machine_console=console=ttyAMA0
		;;
	*)
		machine_qemu=qemu-system-x86_64
		machine_console='console=ttyS0 no_timer_check'
		;;
	esac
}

# Changes the machine's memory when it asks for that on its console.  Ends with QEMU, which closes the
# monitor's output.
machine_feed() {
	cat < monitor.out > /dev/null &
	machine_reader=$!
	trap 'kill $machine_reader 2> /dev/null; exit' TERM
	while kill -0 $machine_reader 2> /dev/null; do
		if [ -n "$monitor" ] && grep -aq 'host: change the memory' console; then
			printf '%s\n' "$monitor" > monitor.in
			monitor=
		fi
		sleep 1
	done
}

# machine_stop: ends what is still running
machine_stop() {
	for machine_one in $machine_pid $machine_feeder; do
		kill "$machine_one" || :
		wait "$machine_one" || :
	done 2> /dev/null
	machine_pid=
	machine_feeder=
}
