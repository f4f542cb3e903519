# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A machine with Debian 12 or 13 (DEBIAN_SUITE=trixie) on its disk, made from Debian's packages, and the nsplit
# of this build.
# shellcheck source=tests/packages/debian-root.sh
. "$here/../packages/debian-root.sh"

debian_pid=
debian_suite=${DEBIAN_SUITE:-bookworm}

debian_needs() {
	[ "$(id -u)" -eq 0 ] || needs_skip 'a root file system of Debian is made by root only'
	for debian_program in debootstrap unshare tar; do
		command -v $debian_program > /dev/null ||
			needs_skip "$debian_program is not installed"
	done
	# Programs that were built here run there: those of Debian 12 also on Debian 13.
	grep -qxE "VERSION_CODENAME=(bookworm|$debian_suite)" /etc/os-release ||
		needs_skip "programs that are built here do not run on Debian $debian_suite"
	unshare --mount --pid --fork true 2> /dev/null ||
		needs_skip 'no namespace can be made here'
	# The mirror of this machine, which has all releases.
	debian_from=$(debian_mirror)
	[ -n "$debian_from" ] || needs_skip 'apt has no list of Debian (apt-get update)'
}

# The root file system made from the packages is kept in the build directory.
debian_base() {
	debian_key=$(printf '%s\n' "$debian_from" | cat - "$here/host/debian-root.sh" |
		sha256sum | cut -c 1-16)
	debian_tar=$logs/debian-$debian_suite-$debian_key.tar
	[ ! -e "$debian_tar" ] || return 0
	printf '        making a root file system of Debian %s, once; some minutes\n' $debian_suite
	rm -f "$logs/debian-$debian_suite"-*.tar*
	# In the background, so that the shell handles signals; the namespaces end together with all
	# processes in them.
	unshare --mount --pid --fork --kill-child \
		sh "$here/host/debian-root.sh" "$PWD/base" $debian_suite "$debian_from" "$debian_tar" \
		> "$logs/debian-root.log" 2>&1 < /dev/null &
	debian_pid=$!
	debian_status=0
	wait "$debian_pid" || debian_status=$?
	debian_pid=
	rm -rf base
	[ $debian_status -eq 0 ] || {
		tail -n 20 "$logs/debian-root.log"
		needs_skip "no root file system could be made; $logs/debian-root.log has it all"
	}
}

# Ends debian-root.sh. unshare ignores other signals, and its end kills all processes in the
# namespaces.
debian_stop() {
	[ -z "$debian_pid" ] || {
		kill -KILL "$debian_pid" || :
		wait "$debian_pid" || :
		debian_pid=
	} 2> /dev/null
}

# debian_disks SCRIPT SETTINGS: makes root.img with nsplit, kdump-tools and the files of the test, of which
# guest/SCRIPT runs at each boot, and the function SETTINGS writes the administrator's; and crash1.img
debian_disks() {
	mkdir root
	tar -C root -xf "$debian_tar"
	MAKEFLAGS='' make -s -C "$builddir" install DESTDIR="$PWD/root" > install.log 2>&1 ||
		failed "make install: $(tail -n 3 install.log)"
	kernel=$PWD/vmlinuz
	cp root/boot/vmlinuz-* "$kernel"
	cp root/boot/initrd.img-* initrd
	debian_test_files "$1"
	printf 'capital\n' > root/etc/hostname
	"$2"
	truncate -s 6G root.img
	mke2fs -q -t ext4 -L root -d root root.img
	rm -rf root
	truncate -s 2G crash1.img
	mke2fs -q -t ext4 -L crash1 crash1.img
}

# The files of the test: a service that runs a script at each boot, and the script that
# computes the reference before the dump is saved.
debian_test_files() {
	mkdir root/nsplit-test
	cp "$here/guest/lib.sh" "$here/guest/debian-reference.sh" root/nsplit-test/
	cp "$here/guest/$1" root/nsplit-test/debian.sh
	cat > root/etc/systemd/system/nsplit-test.service << 'END'
[Unit]
After=kdump-tools.service nsplit-kdump-check.service
[Service]
ExecStart=/bin/sh /nsplit-test/debian.sh
StandardOutput=journal+console
END
	mkdir root/etc/systemd/system/multi-user.target.wants 2> /dev/null || :
	ln -s ../nsplit-test.service root/etc/systemd/system/multi-user.target.wants/
	drop_in=root/usr/local/lib/systemd/system/kdump-tools-dump.service.d
	mkdir -p $drop_in
	printf '[Service]\nExecStartPre=/bin/sh /nsplit-test/debian-reference.sh\n' > $drop_in/nsplit-test.conf
}

# The administrator's settings for kdump-tools-save: two disks, and the lines of kdump/debian/README.md.
debian_settings() {
	cat > root/etc/fstab << 'END'
LABEL=root	/		ext4	errors=remount-ro				0 1
LABEL=crash1	/mnt/disk1	ext4	nofail,x-systemd.device-timeout=300s	0 2
END
	cat >> root/etc/default/kdump-tools << 'END'
KDUMP_CMDLINE_APPEND="reset_devices systemd.unit=kdump-tools-dump.service nr_cpus=2 disable_cpu_apicid=0 irqpoll usbcore.nousb"
KDUMP_NUM_DUMPS=2
END
	printf 'NSPLIT_DIRECTORIES="/mnt/disk1/crash"\n' > root/etc/default/nsplit-kdump
	# 31 is the default of kdump-tools.
	[ "$dump_level" -eq 31 ] || printf 'dump-level = %s\n' "$dump_level" > root/etc/nsplit.conf
	for old in 202001010000 202001020000; do
		mkdir -p root/var/crash/$old
		: > root/var/crash/$old/dump.$old
	done
}

# The settings for kdump-tools alone.  Its capture kernel has one CPU; compressed dumps are the only change.
debian_plain_settings() {
	printf 'LABEL=root	/		ext4	errors=remount-ro				0 1\n' > root/etc/fstab
	printf 'KDUMP_COMPRESSION="gzip"\n' >> root/etc/default/kdump-tools
}

# debian_crash VMLINUX DUMP: prints what crash says of the panic and of the number of tasks
debian_crash() {
	printf 'ps | wc -l\nquit\n' > crash.commands
	crash -s -i crash.commands "$1" "$2" < /dev/null > crash.out 2>&1 && grep -qx ' *[0-9][0-9]*' crash.out ||
		{
			cat crash.out
			return 1
		}
	printf 'ps: %s lines\n' "$(grep -x ' *[0-9][0-9]*' crash.out)"
}

# debian_run present|missing: runs the machine from its first boot to its end, with or without the
# second disk
debian_run() {
	machine_reboots=yes
	machine_run 1024 initrd "root=LABEL=root ro crashkernel=256M second_disk=$1" "-$1"
	machine_reboots=no
	debian_excerpts
	checks_of_machine
}

# Prints the console without most of nsplit's progress.
debian_excerpts() {
	tr -d '\r' < "$console" | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g' |
		grep -E 'Kernel panic|kdump-tools|nsplit|makedumpfile|sh\[[0-9]*\]: kernel|reboot: |DEPEND|emergency' |
		grep -v ' left$' | sed 's/^/        | /'
}
