# SPDX-License-Identifier: GPL-2.0-or-later
# The further disks of a dump: found in the running system, mounted in the capture environment.
disks_scripts = kdump/disks/nsplit-find-disks kdump/disks/nsplit-mount-disks
disksdir = $(pkglibexecdir)
dist_disks_SCRIPTS = $(disks_scripts)
