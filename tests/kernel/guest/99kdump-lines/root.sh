# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# root=kdump is nothing to look for, as in the capture environment of SUSE.
rootok=1
