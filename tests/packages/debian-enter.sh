#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs a shell command line in the root file system of another Debian, as if that machine had been
# booted: its root is a mount, /dev and /sys are this machine's, and the environment is that of root
# after a login.  As root, in namespaces that end with it:
#	unshare --mount --pid --fork --kill-child sh debian-enter.sh ROOT 'COMMAND LINE' [VARIABLE=VALUE]...

set -eu

root=$1
command=$2
shift 2
# Mounts and namespaces, FUSE and loop devices work in there only if / is a mount.
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
cd "$root"
pivot_root . mnt
cd /
umount -l /mnt
cd /root
exec env -i HOME=/root USER=root SHELL=/bin/sh \
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" sh -ec "$command"
