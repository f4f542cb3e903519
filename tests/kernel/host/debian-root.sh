#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes the root file system of a Debian with kdump-tools, as a tar file:
#	debian-root.sh DIRECTORY SUITE MIRROR TAR
# debian_base() runs it in its own namespaces, so that all its mounts and processes end with it.

set -eu

# What nsplit's programs need, besides what a machine needs to boot and to crash, and to send a dump to itself.
packages=systemd-sysv,udev,kmod,e2fsprogs,procps,initramfs-tools,busybox,zstd,openssh-server,iproute2
packages=$packages,liblzo2-2,libsnappy1v5,liblz4-1,libzstd1,libdeflate0,libblkid1
case $2 in
bookworm) packages=$packages,libnettle8 ;;
*) packages=$packages,libnettle8t64 ;;
esac

debootstrap --variant=minbase --include="$packages" "$2" "$1" "$3"
mount -t proc proc "$1/proc"
mount -t devpts devpts "$1/dev/pts"
# No services are started in the chroot.
printf '#!/bin/sh\nexit 101\n' > "$1/usr/sbin/policy-rc.d"
chmod +x "$1/usr/sbin/policy-rc.d"
# The kernel first: without a root device, no initramfs for the capture kernel can be made here.
# kdump-tools makes it when the machine boots, as after each new kernel.
for package in linux-image-amd64 'kdump-tools makedumpfile'; do
	# shellcheck disable=SC2086
	chroot "$1" env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y --no-install-recommends $package
done
chroot "$1" apt-get clean
rm "$1/usr/sbin/policy-rc.d"
umount "$1/dev/pts" "$1/proc"
tar -C "$1" -cf "$4-new" .
mv "$4-new" "$4"
