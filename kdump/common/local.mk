# SPDX-License-Identifier: GPL-2.0-or-later
# What several systems share: a library of shell functions, and two scripts for the further disks of
# a dump, which are found in the running system and mounted in the capture environment.
common_scripts = kdump/common/nsplit-find-disks kdump/common/nsplit-mount-disks
# The other scripts source it.  It is not executable.
common_functions = kdump/common/nsplit-kdump-functions
commondir = $(pkglibexecdir)
dist_common_SCRIPTS = $(common_scripts) kdump/common/nsplit-check-system kdump/common/nsplit-drill
dist_common_DATA = $(common_functions)
