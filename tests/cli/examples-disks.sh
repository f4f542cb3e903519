#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The example of nsplit-disks.conf(5) is understood: the first line names a directory that is not here,
# and the others are used.
# shellcheck source=tests/cli/examples-lib.sh
. "${srcdir:?}/tests/cli/examples-lib.sh"

need findmnt blkid
mkdir disks
manual_blocks "$srcdir/man/nsplit-disks.conf.5" disks
[ -s disks/01 ] || fail 'nsplit-disks.conf(5) has no example'
expect_status 1 "$srcdir/kdump/common/nsplit-find-disks" disks/01
expect_err "nsplit-find-disks: disks/01:1: /mnt/disk1/crash is not a directory; the line is ignored"
sed 1d disks/01 > want
same out want
