#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes the root file system of a Debian 12 with kdump-tools, as a tar file:
#	debian-root.sh DIRECTORY MIRROR TAR
# Run by debian_base() in namespaces of its own, with which all that is mounted and started here
# goes away, however this ends.

set -eu

# What the programs of nsplit need, beside what a machine needs to boot and to crash.
packages=systemd-sysv,udev,kmod,e2fsprogs,procps,initramfs-tools,busybox,zstd
packages=$packages,liblzo2-2,libsnappy1v5,liblz4-1,libzstd1,libdeflate0,libxxhash0,libblkid1

debootstrap --variant=minbase --include="$packages" bookworm "$1" "$2"
mount -t proc proc "$1/proc"
mount -t devpts devpts "$1/dev/pts"
# Nothing is started in there.
printf '#!/bin/sh\nexit 101\n' > "$1/usr/sbin/policy-rc.d"
chmod +x "$1/usr/sbin/policy-rc.d"
# The kernel first: no initramfs for the capture kernel can be made here, where there is no root
# device; kdump-tools makes it when the machine boots, as it does after any new kernel.
for package in linux-image-amd64 'kdump-tools makedumpfile'; do
	# shellcheck disable=SC2086
	chroot "$1" env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y --no-install-recommends $package
done
chroot "$1" apt-get clean
rm "$1/usr/sbin/policy-rc.d"
umount "$1/dev/pts" "$1/proc"
tar -C "$1" -cf "$3-new" .
mv "$3-new" "$3"
