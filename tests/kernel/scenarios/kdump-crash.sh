# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The programs that analysts use, with the kernel's debug information: make check-crash.

memory=512
crashkernels=256
cpus=2
append='nr_cpus=2'
captures='c'
files=yes
devices=no
figures=no
vmlinux=/usr/lib/debug/boot/vmlinux-$kernel_version
for program in crash drgn; do
	command -v $program > /dev/null || needs_skip "$program is not installed"
done
[ -r "$vmlinux" ] || needs_skip "there is no $vmlinux (Debian: linux-image-$kernel_version-dbg, 860 MB)"
kdump_run
