#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds a kernel module with headers and a compiler of Debian's packages:
#	make-module.sh ROOT HEADERS RELEASE DIRECTORY
# headers_make() runs it as root in a mount namespace of its own, so that its mounts end with it.

set -eu

root=$1
headers=$2
release=$3
mount --bind "$4" "$root/build"
mount --bind "$headers/usr/src" "$root/usr/src"
for kbuild in "$headers"/usr/lib/linux-kbuild-*; do
	# An empty directory that stays in the root.
	mkdir -p "$root/usr/lib/${kbuild##*/}"
	mount --bind "$kbuild" "$root/usr/lib/${kbuild##*/}"
done
mount -t tmpfs tmp "$root/tmp"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
# kbuild's programs are those of this machine, whatever the module is for.
case $release in
*arm64*) host=DEB_HOST_ARCH=arm64 ;;
*) host=DEB_HOST_ARCH=amd64 ;;
esac
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEB_BUILD_ARCH=amd64 $host \
	DEB_HOST_GNU_TYPE=aarch64-linux-gnu \
	chroot "$root" make -C "/usr/src/linux-headers-$release" M=/build
