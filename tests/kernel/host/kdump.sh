# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the kdump scenarios: a machine panics, nsplit saves its memory in the capture kernel,
# and the members are joined and compared here.

# kdump_run: runs a machine with these settings:
#	memory		MiB of the machine
#	crashkernels	MiB for the capture kernel; if there are several, the first that boots
#	cpus		of the capture kernel
#	append		additions to its command line
#	captures	a line each: c, s, l or z, and --mem-limit in MiB if any
#	files		yes: to files on four ext4 disks
#	devices		yes: to four block devices
#	figures		yes: compared with other collectors
#	vmlinux		its kernel with debug information, for crash and drgn; or empty
kdump_run() {
	[ -z "${NSPLIT_SHORT-}" ] || {
		# The codecs that need the least and the most memory.
		captures=$(printf '%s\n' "$captures" | sed -n '1p; $p' | uniq)
		figures=no
	}
	printf '%s\n' "$captures" > captures
	kdump_disks
	kdump_image
	for crashkernel in $crashkernels; do
		machine_run "$memory" first.cpio.gz "crashkernel=${crashkernel}M"
		[ -z "$(value booted)" ] || break
	done
	rm -f first.cpio.gz
	printf '        crashkernel=%sM\n' "$crashkernel"
	checks_of_machine
	# Without the reference there is nothing to compare with; the failure was reported.
	[ -z "$(value sha256)" ] || kdump_checks
}

kdump_disks() {
	[ "$files" = no ] || {
		machine_disks file 4 2G
		for disk in file?.img; do
			mke2fs -q -t ext4 "$disk"
		done
	}
	[ "$devices" = no ] || while read -r codec _; do
		machine_disks "$codec" 4 1G
	done < captures
}

kdump_image() {
	image_begin capture capture.sh
	image_modules virtio_pci virtio_blk
	[ "$files" = no ] || image_modules crc32c_generic ext4
	image_programs nsplit
	printf '%s\n' "$cpus" > "$image/cpus"
	cp captures "$image/"
	[ "$figures" = no ] || {
		image_programs makedumpfile mapped
		cp "$here/guest/figures.sh" "$image/"
		printf '%s\n' "$rounds" > "$image/rounds"
	}
	image_pack capture.cpio.gz
	image_begin first crash.sh
	image_programs kexec
	cp "$kernel" "$image/vmlinuz"
	mv capture.cpio.gz "$image/"
	printf '%s\n' "$append" > "$image/append"
	image_pack first.cpio.gz 1
	rm -rf capture first
}

# kdump_join MEMBER...: their join is the memory of the machine
kdump_join() {
	# Through a pipe, since writing each copy would take most of the time.
	sum=$({ njoin -q --zero-left-out -o - "$@" || printf 'incomplete'; } 2> njoin.log | sha256sum)
	same "$what: SHA-256 of njoin's output" "$sum$(cat njoin.log)" "$(value sha256)  -"
}

# kdump_copy MEMBER...: another program reads the copy and finds the cause of the panic
kdump_copy() {
	try "$what: njoin writes a file" njoin -q --zero-left-out -o copy "$@"
	same "$what: its size" "$(stat -c %s copy)" "$(value size)"
	try "$what: makedumpfile finds the kernel log in it" \
		makedumpfile --dump-dmesg copy dmesg
	panic=$(grep 'Kernel panic' dmesg) || panic=none
	printf '        %s\n' "$panic"
	same "$what: the log ends with the panic" "${panic#*] }" \
		'Kernel panic - not syncing: sysrq triggered crash'
	same "$what: njoin finds the same log" "$(njoin -q --dmesg "$@" 2>&1 | sha256sum)" \
		"$(makedumpfile -F --dump-dmesg copy 2> /dev/null | sha256sum)"
	kdump_readers lzo
	kdump_readers zstd
	rm -f copy dmesg
}

# kdump_readers CODEC: each reader finds the same in every form of the copy
kdump_readers() {
	# shellcheck disable=SC2086
	try "$what: each reader reads each form of it, $1" \
		env CODEC="$1" sh "$srcdir/tests/readers/check-readers.sh" copy $vmlinux
	printf '%s\n' "$checks_said" | sed -n '/^|/s/^/        /p'
	# Each line under the codec is a reader.
	same "$what: no reader was skipped" \
		"$(printf '%s\n' "$checks_said" | sed -n 's/^| \([^|]*\) |.*/\1/p' | tr '\n' ',')" \
		"$1,cmp,libkdumpfile,makedumpfile log,makedumpfile reassemble,makedumpfile filter,njoin log,gdb${vmlinux:+,crash,drgn},"
}

kdump_checks() {
	while read -r codec _; do
		[ "$files" = no ] || {
			for n in 0 1 2 3; do
				machine_file "file$n" "$codec" "member$n" ||
					failed "file$n has no member $codec: $(cat debugfs.log)"
			done
			kdump_set files member0 member1 member2 member3
			rm -f member?
		}
		[ "$devices" = no ] || kdump_set devices \
			"${codec}0.img" "${codec}1.img" "${codec}2.img" "${codec}3.img"
	done < captures
}

# kdump_set KIND MEMBER...: for files, one codec is enough
kdump_set() {
	what="-$codec, $1"
	shift
	kdump_join "$@"
	[ "$codec" != c ] || kdump_copy "$@"
}
