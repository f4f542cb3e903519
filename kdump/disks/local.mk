# SPDX-License-Identifier: GPL-2.0-or-later
# The further disks of a dump: found in the running system, mounted in the capture environment.
disks_scripts = kdump/disks/nsplit-find-disks kdump/disks/nsplit-mount-disks
# Read by these and by other scripts, and not run.
disks_functions = kdump/disks/nsplit-kdump-functions
disksdir = $(pkglibexecdir)
dist_disks_SCRIPTS = $(disks_scripts)
dist_disks_DATA = $(disks_functions)
