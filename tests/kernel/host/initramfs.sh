# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the scenarios in which a system's own program makes the capture initramfs, with what
# "make install" installs: further disks, of which one is missing after the crash; the machine; and
# the checks afterwards.

# dump_levels LEVEL...: calls dump_machine in a directory of its own for each level; if half of the
# scenarios is enough, only for the first one
dump_levels() {
	for dump_level; do
		printf '        --- dump level %s\n' "$dump_level"
		dump_append=
		[ "$dump_level" -eq 0 ] || dump_append=' keep_vmcore'
		mkdir "level-$dump_level"
		cd "level-$dump_level" || return
		dump_machine
		cd ..
		rm -rf "level-$dump_level"
		[ -z "${NSPLIT_SHORT-}" ] || break
	done
}

# udev names the disks virtio-NAME, since they are virtio disks.
dump_disks() {
	for disk in target extra; do
		truncate -s 2G "$disk.img"
		mke2fs -q -t ext4 "$disk.img"
	done
	truncate -s 2G bare.img
	# For what was left out, the memory itself is needed.
	[ "$dump_level" -eq 0 ] || truncate -s 2G whole.img
	mkdir etc
	echo 'compress = lzo' > etc/nsplit.conf
	cat > etc/nsplit-disks.conf <<- END
		# One of them is missing.
		wait 5
		/dev/disk/by-id/virtio-extra /crash
		/dev/disk/by-id/virtio-absent /crash
		/dev/disk/by-id/virtio-bare bare
	END
}

# Installs nsplit, and sets installed, the directory seen by other systems, and installed_bin.
dump_install() {
	make -s -C "$builddir" install DESTDIR="$PWD/root" > install.log 2>&1 || {
		failed "make install: $(tail -n 5 install.log)"
		return 1
	}
	installed_bin=$(dirname "$(find "$PWD/root" -name nsplit -path '*/bin/*')")
	installed=${installed_bin%/bin}
}

# dump_run CAPTURE-IMAGE: runs a machine that crashes and boots this image with the additions in
# append
dump_run() {
	image_begin first crash.sh
	image_programs kexec
	cp "$kernel" "$image/vmlinuz"
	mv "$1" "$image/capture.cpio.gz"
	printf '%s\n' "$append$dump_append" > "$image/append"
	image_pack first.cpio.gz 1
	rm -rf first root
	machine_run "$memory" first.cpio.gz "crashkernel=${crashkernel}M" "-d$dump_level"
	rm -f first.cpio.gz
	checks_of_machine
	# Lines may also end with a carriage return; of the progress lines, only the last one is
	# kept.
	tr '\r' '\n' < "$console" | sed 's/\x1b\[K//g' | grep -v ' left$' > console.lines
	grep -aE 'Kernel panic|kdump: |nsplit' console.lines | sed 's/^/        | /'
	[ -n "$(value sha256)" ]
}

# dump_said TEXT: a line of the console contains it
dump_said() {
	if grep -qF -- "$1" console.lines; then
		passed "on the console: $1"
	else
		failed "not on the console: $1"
	fi
}

# dump_extra DISK: prints the file of this dump on that disk
dump_extra() {
	sed -n 's|.*nsplit-mount-disks: writing the dump to /run/nsplit/[0-9]*/\(crash/.*\)|\1|p' console.lines
}

# dump_checks MEMBER...: together they give the memory, and each alone is incomplete
dump_checks() {
	dump_said 'nsplit-mount-disks: /dev/disk/by-id/virtio-absent: not found; skipped'
	dump_said 'nsplit-mount-disks: writing the dump to /dev/disk/by-id/virtio-bare'
	what="$# members"
	if [ "$dump_level" -eq 0 ]; then
		kdump_join "$@"
	else
		head -c "$(value size)" whole.img > core
		rm whole.img
		sum=$(sha256sum < core)
		same 'SHA-256 of the memory that was kept' "$sum" "$(value sha256)  -"
		try "$what: njoin verifies them" njoin -q --verify "$@"
	fi
	try "$what: njoin writes a file" njoin -q --zero-left-out -o copy "$@"
	[ "$dump_level" -eq 0 ] || dump_kept
	same "$what: its size" "$(stat -c %s copy)" "$(value size)"
	try "$what: makedumpfile finds the kernel log in it" makedumpfile --dump-dmesg copy dmesg
	panic=$(grep 'Kernel panic' dmesg) || panic=none
	printf '        %s\n' "$panic"
	same "$what: the log ends with the panic" "${panic#*] }" \
		'Kernel panic - not syncing: sysrq triggered crash'
	for member; do
		try "$member alone is incomplete" dump_lacks "$member"
	done
	[ "$dump_level" -ne 0 ] || [ "$sum" != "$(value sha256)  -" ] ||
		printf '        %s: %s members, joined: identical to /proc/vmcore, %s\n' "$scenario" $# "${sum%% *}"
}

# The file copy has the bytes of the file core, and zeros for exactly the pages that the level leaves out.
dump_kept() {
	try "$what: the pages that are kept are those of /proc/vmcore, and the others are zeros" \
		"$builddir/tests/kernels/page_joined" core "$dump_level" copy
	printf '        %s\n' "$checks_said"
	dump_said 'nsplit:   left out: '
}

# dump_lacks MEMBER: njoin reports missing ranges
dump_lacks() {
	! njoin -q --verify "$1" > lacks.log 2>&1 && grep -q '^njoin: missing: .* in total$' lacks.log
}
