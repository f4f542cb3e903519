# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the scenarios of capture initramfs share, which are made by a system's own program with
# what "make install" puts there: further disks, of which one is not there when the machine has
# crashed; the machine; and what is looked at afterwards.

# The disks are virtio's, so udev calls them virtio-NAME.
further_disks() {
	for disk in target extra; do
		truncate -s 2G "$disk.img"
		mke2fs -q -t ext4 "$disk.img"
	done
	truncate -s 2G bare.img
	mkdir etc
	echo 'compress = lzo' > etc/nsplit.conf
	cat > etc/nsplit-disks.conf <<- END
		# One of them is not there.
		wait 5
		/dev/disk/by-id/virtio-extra /crash
		/dev/disk/by-id/virtio-absent /crash
		/dev/disk/by-id/virtio-bare bare
	END
}

# Sets installed, as other systems see it, and installed_bin.
further_install() {
	make -s -C "$builddir" install DESTDIR="$PWD/root" > install.log 2>&1 || {
		failed "make install: $(tail -n 5 install.log)"
		return 1
	}
	installed_bin=$(dirname "$(find "$PWD/root" -name nsplit -path '*/bin/*')")
	installed=${installed_bin%/bin}
}

# further_run CAPTURE-IMAGE: a machine that crashes, and boots this with what append says
further_run() {
	image_begin first crash.sh
	image_programs kexec
	cp "$kernel" "$image/vmlinuz"
	mv "$1" "$image/capture.cpio.gz"
	printf '%s\n' "$append" > "$image/append"
	image_pack first.cpio.gz 1
	rm -rf first root
	machine_run "$memory" first.cpio.gz "crashkernel=${crashkernel}M"
	rm -f first.cpio.gz
	checks_of_machine
	# What stood between carriage returns are lines as well; of those that tell of progress, the
	# last is enough.
	tr '\r' '\n' < "$console" | sed 's/\x1b\[K//g' | grep -v ' left$' > console.lines
	grep -aE 'Kernel panic|kdump: |nsplit' console.lines | sed 's/^/        | /'
	[ -n "$(value sha256)" ]
}

# further_said TEXT: a line of the console has this
further_said() {
	if grep -qF -- "$1" console.lines; then
		passed "the console says: $1"
	else
		failed "the console does not say: $1"
	fi
}

# further_extra: the file of this dump on the disk that is called so
further_extra() {
	sed -n 's|.*nsplit-mount-disks: writing the dump to /run/nsplit/[0-9]*/\(crash/.*\)|\1|p' console.lines
}

# further_checks MEMBER...: together they are the memory that was taken, and none of them alone
further_checks() {
	further_said 'nsplit-mount-disks: /dev/disk/by-id/virtio-absent: not found; skipped'
	further_said 'nsplit-mount-disks: writing the dump to /dev/disk/by-id/virtio-bare'
	what="$# members"
	kdump_join "$@"
	try "$what: njoin makes a file" njoin -q -o copy "$@"
	same "$what: of that size" "$(stat -c %s copy)" "$(value size)"
	try "$what: makedumpfile finds the kernel's log in it" makedumpfile --dump-dmesg copy dmesg
	panic=$(grep 'Kernel panic' dmesg) || panic=none
	printf '        %s\n' "$panic"
	same "$what: and the panic there" "${panic#*] }" \
		'Kernel panic - not syncing: sysrq triggered crash'
	for member; do
		try "$member alone is not all of it" further_lacks "$member"
	done
	[ "$sum" != "$(value sha256)  -" ] ||
		printf '        %s: %s members, joined: identical to /proc/vmcore, %s\n' "$scenario" $# "${sum%% *}"
}

# further_lacks MEMBER: njoin says so
further_lacks() {
	! njoin -q --verify "$1" > lacks.log 2>&1 && grep -q '^njoin: missing: .* in total$' lacks.log
}
