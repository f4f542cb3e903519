# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For tests of what --check-params says of a system: makes machines with a kdump below the directory root, in
# which all is well, and with stubs of the programs that read an initramfs.  The script then breaks something.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

[ ! -e /proc/vmcore ] || skip 'this is a capture kernel, and the test is for others'
need tar awk
unset LD_PRELOAD
# The directory of dumps is here.
case $(stat -f -c %T .) in
tmpfs | ramfs | overlayfs) skip 'TMPDIR may be in memory, and dumps have to be on a disk' ;;
esac

NSPLIT_ROOT=$PWD/root
# Of a capture environment: what dracut and initramfs-tools would find here is not of interest.
PATH=$PWD/bin:$PATH
export NSPLIT_ROOT PATH
release=6.12.9-200.fc41.x86_64
mkdir bin

# stub NAME: the program is standard input
stub() {
	{
		echo '#!/bin/sh'
		cat
	} > "bin/$1"
	chmod +x "bin/$1"
}

# An image is a tar file here.  Both programs list it as ls -l does.
# shellcheck disable=SC2016 # for the stubs
list_tar='tar tvf "$image" | awk "{ sub(\"/\", \" \", \$2); print \$1, 1, \$2, \$3, \"Nov 26\", \$5, \$6 }"'

# shellcheck disable=SC2016 # for the stubs
dracut_stubs() {
	printf '%s\n' 'case $1 in' \
		'-f) exec tar xOf "$3" "./$2" ;;' \
		'*) image=$1; echo "Image: $1: 30M"; echo "dracut modules:"; echo base' \
		"$list_tar ;;" 'esac' | stub lsinitrd
}

# shellcheck disable=SC2016 # for the stubs
initramfs_stubs() {
	printf '%s\n' 'image=$2' "$list_tar" | stub lsinitramfs
	# As where there is microcode.
	printf '%s\n' 'mkdir "$2/main" "$2/early"' 'exec tar xf "$1" -C "$2/main"' | stub unmkinitramfs
}

# on_machine FILE [TEXT]: makes a file below the root
on_machine() {
	mkdir -p "root${1%/*}"
	printf '%s' "${2-}${2:+
}" > "root$1"
}

# in_image FILE [COPY]: likewise in the initramfs
in_image() {
	mkdir -p "image/${1%/*}"
	if [ $# -gt 1 ]; then
		cp "$2" "image/$1"
	else
		: > "image/$1"
	fi
}

# pack: makes the initramfs from the directory image; it is newer than the files from which it is made
pack() {
	mkdir -p "root${initramfs%/*}"
	touch -d '2026-01-01' root/etc/nsplit.conf
	tar cf "root$initramfs" -C image .
}

# device_numbers: prints the numbers of the device that holds this directory, as sysfs has them
device_numbers() {
	numbers=$(stat -c %d .)
	echo "$((numbers >> 8 & 0xfff)):$((numbers & 0xff | numbers >> 12 & 0xfff00))"
}

# machine_disk: the disk of this directory needs two drivers, of which one is built in
machine_disk() {
	bus=/sys/devices/pci0000:00/0000:00:04.0
	mkdir -p "root$bus/virtio1/block/vda" root/sys/dev/block root/sys/module/virtio_pci \
		root/sys/module/virtio_blk root/sys/bus/virtio_blk root/sys/bus/virtio-pci
	ln -s "../../devices/${bus#/sys/devices/}/virtio1/block/vda" "root/sys/dev/block/$(device_numbers)"
	ln -s ../../../../bus/virtio_blk "root$bus/virtio1/driver"
	ln -s ../../../bus/virtio-pci "root$bus/driver"
	ln -s ../../module/virtio_blk root/sys/bus/virtio_blk/module
	ln -s ../../module/virtio_pci root/sys/bus/virtio-pci/module
	on_machine "/lib/modules/$release/modules.builtin" kernel/drivers/virtio/virtio-pci.ko
	in_image "usr/lib/modules/$release/kernel/drivers/block/virtio_blk.ko.xz"
}

# libraries: prints the names of those that nsplit needs
libraries() {
	ldd "$builddir/nsplit" 2> ldd.err | sed -n 's|.*/\([^/ ]*\) (0x.*|\1|p'
}

# image_nsplit FILE: the initramfs has nsplit, its libraries, and the configuration
image_nsplit() {
	in_image "$1" "$builddir/nsplit"
	for library in $(libraries); do
		in_image "usr/lib/$library"
	done
	in_image etc/nsplit.conf root/etc/nsplit.conf
}

# machine_begin: a machine of 4 GiB with a capture kernel, and nsplit
machine_begin() {
	rm -rf root image bin/*
	mkdir -p root/usr/bin root/usr/sbin root/var/crash image
	on_machine /proc/sys/kernel/osrelease $release
	on_machine /proc/sys/kernel/panic_on_oops 1
	on_machine /proc/cmdline 'ro crashkernel=256M'
	on_machine /proc/iomem '00000000-ffffffff : System RAM'
	on_machine /sys/kernel/fscaps 1
	on_machine /sys/kernel/kexec_crash_size 268435456
	on_machine /sys/kernel/kexec_crash_loaded 1
	on_machine /etc/nsplit.conf 'mem-limit = 32M'
	cp "$builddir/nsplit" root/usr/bin/nsplit
	machine_disk
}

# enabled SERVICE
enabled() {
	mkdir -p root/etc/systemd/system/multi-user.target.wants root/usr/lib/systemd/system
	: > "root/usr/lib/systemd/system/$1"
	ln -s "/usr/lib/systemd/system/$1" root/etc/systemd/system/multi-user.target.wants/
}

fedora() {
	machine_begin
	dracut_stubs
	on_machine /usr/bin/kdumpctl
	on_machine /etc/kdump.conf 'path /var/crash
core_collector nsplit -c -d 31 # nsplit'
	enabled kdump.service
	initramfs=/boot/initramfs-${release}kdump.img
	image_nsplit usr/libexec/nsplit/nsplit
	in_image usr/bin/nsplit
	pack
}

# fedora_link: with nsplit under the name of makedumpfile
fedora_link() {
	fedora
	echo 'core_collector makedumpfile -l --message-level 7 -d 31' > root/etc/kdump.conf
	ln -s ../bin/nsplit root/usr/sbin/makedumpfile
}

# fedora_ssh: to another machine
fedora_ssh() {
	fedora
	printf '%s\n' 'ssh dumps@host' 'core_collector nsplit -c -d 31' > root/etc/kdump.conf
	on_machine /root/.ssh/kdump_id_rsa key
	in_image root/.ssh/kdump_id_rsa
	printf '\noutput = -\n' >> image/etc/nsplit.conf
	on_machine /sys/class/net/lo/operstate unknown
	on_machine /sys/class/net/eth0/operstate up
	pack
}

suse() {
	machine_begin
	dracut_stubs
	on_machine /usr/sbin/mkdumprd
	on_machine /etc/sysconfig/kdump 'KDUMP_SAVEDIR="/var/crash"
KDUMP_TRANSFER='\''nsplit-kdump-transfer "$KDUMP_SAVEDIR" -c -d 31 || { KDUMP_TRANSFER=; main; }'\'
	enabled kdump.service
	initramfs=/var/lib/kdump/initrd
	image_nsplit usr/bin/nsplit
	pack
}

debian() {
	machine_begin
	initramfs_stubs
	on_machine /usr/sbin/kdump-config
	on_machine /etc/default/kdump-tools 'USE_KDUMP=1
KDUMP_INITRD=/var/lib/kdump/initrd.img'
	enabled kdump-tools.service
	mkdir -p root/etc/systemd/system/kdump-tools-dump.service.d
	on_machine /usr/share/nsplit/kdump/debian/save.conf
	ln -s /usr/share/nsplit/kdump/debian/save.conf \
		root/etc/systemd/system/kdump-tools-dump.service.d/nsplit.conf
	on_machine /usr/bin/makedumpfile
	initramfs=/var/lib/kdump/initrd.img-$release
	in_image usr/bin/busybox
	pack
	ln -s initrd.img-$release root/var/lib/kdump/initrd.img
}

# debian_initramfs: initramfs-tools, without kdump-tools
debian_initramfs() {
	machine_begin
	initramfs_stubs
	on_machine /etc/initramfs-tools/conf.d/nsplit 'NSPLIT_CAPTURE=y'
	initramfs=/boot/initrd.img-$release
	image_nsplit usr/bin/nsplit
	pack
}

checks() {
	nsplit --check-params -j2 -c -d 31 "$@"
}

# well MACHINE: nothing is found in it
well() {
	"$1"
	expect_status 0 checks
	expect_err ''
	expect_out ''
}

# finds ID SEVERITY TEXT [ARGUMENT...]: the only problem or warning
finds() {
	id=$1 severity=$2 text=$3
	shift 3
	status=0 begin=
	case $severity in
	error) status=1 ;;
	warning) begin='warning: ' ;;
	*) fail "$severity is no severity here" ;;
	esac
	expect_status $status checks "$@"
	expect_err "nsplit: $begin$text"
	expect_status $status checks --json "$@"
	expect_err ''
	severe=$(awk -F '"' '$2 == "id" { id = $4 } $2 == "severity" && $4 ~ /^(error|warning)$/ { print id, $4 }' out)
	[ "$severe" = "$id $severity" ] || fail "found $severe and not $id $severity"
	grep -qxF "  \"status\": \"$severity\"," out || fail "the status is wrong: $(cat out)"
}
