# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A capture kernel with two CPUs.

memory=640
crashkernels=256
cpus=2
append='nr_cpus=2'
captures='c
s
l
z'
files=yes
devices=yes
figures=no
vmlinux=
kdump_run
