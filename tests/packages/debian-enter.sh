#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs a shell command line in the root file system of another Debian, with the environment of root after a
# login.  HOW:
#	booted	/dev and /sys are this machine's, as if that machine had been booted: its root is a mount
#	chroot	likewise, as builders of packages do it: its root is a directory, and no mount namespaces can be made
#	bare	as chroot, but without /sys, and with what debootstrap makes in /dev: no devpts, and no tmpfs in shm
# As root, in namespaces that end with it:
#	unshare --mount --pid --fork --kill-child sh debian-enter.sh HOW ROOT 'COMMAND LINE' [VARIABLE=VALUE]...

set -eu

how=$1
root=$2
command=$3
shift 3
[ "$how" != booted ] || mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
[ "$how" = bare ] || {
	mount --rbind /dev "$root/dev"
	mount --rbind /sys "$root/sys"
}
cd "$root"
if [ "$how" = booted ]; then
	pivot_root . mnt
	cd /
	umount -l /mnt
fi
exec env -i HOME=/root USER=root SHELL=/bin/sh \
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" \
	chroot . sh -ec "cd /root; $command"
