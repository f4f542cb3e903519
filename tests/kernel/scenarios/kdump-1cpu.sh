# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A capture kernel with one CPU, as most distributions boot it; and the figures.

memory=1024
crashkernels=256
cpus=1
append='nr_cpus=1'
captures='c
s
l
z'
files=yes
devices=yes
figures=yes
vmlinux=
kdump_run
