# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The least that a capture kernel here boots with, and nsplit told to keep to a part of it.
# shellcheck source=tests/kernel/scenarios/kdump.sh
. "$here/scenarios/kdump.sh"

memory=512
crashkernel=96
cpus=1
append='nr_cpus=1 cgroup_disable=memory numa=off transparent_hugepage=never'
captures='c --mem-limit=9M
s --mem-limit=9M
l --mem-limit=9M
z --mem-limit=9M'
files=no
devices=yes
figures=no
kdump_run
