# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The least memory with which a capture kernel boots here; nsplit is limited to a part of it.

memory=512
crashkernels='96 104 112 128'
cpus=1
append='nr_cpus=1 cgroup_disable=memory numa=off transparent_hugepage=never'
captures='c 9
s 9
l 9
z 9'
files=no
devices=yes
figures=no
vmlinux=
kdump_run
