#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How nsplit-find-disks translates nsplit-disks.conf when a capture initramfs is made.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need findmnt blkid
find_disks=$srcdir/kdump/common/nsplit-find-disks

# Disks with persistent names need not be connected now.
cat > disks.conf << END
# A comment,

/dev/disk/by-id/one /crash
  /dev/disk/by-id/two   bare
/dev/mapper/three /
wait 060
wait 08
END
expect_status 0 "$find_disks" disks.conf
expect_out '/dev/disk/by-id/one /crash
/dev/disk/by-id/two bare
/dev/mapper/three /
wait 60
wait 8'
expect_err ''

# The last line may lack its newline.
printf 'wait 1\n/dev/disk/by-id/one bare' > disks.conf
expect_status 0 "$find_disks" disks.conf
expect_out 'wait 1
/dev/disk/by-id/one bare'

# Each wrong line is ignored.
cat > disks.conf << END
/nowhere/crash
/proc
/dev/sdb bare
/dev/disk/by-id/one
/dev/disk/by-id/one crash
/dev/disk/by-id/one /crash ext4
wait
wait long
wait 100000
crash
wait 7
END
expect_status 1 "$find_disks" disks.conf
expect_out 'wait 7'
expect_err "nsplit-find-disks: disks.conf:1: /nowhere/crash is not a directory; the line is ignored
nsplit-find-disks: disks.conf:2: /proc is on proc, which is not a disk; the line is ignored
nsplit-find-disks: disks.conf:3: /dev/sdb may be another disk after a crash: use its name in /dev/disk/by-id; the line is ignored
nsplit-find-disks: disks.conf:4: /dev/disk/by-id/one must be followed by bare or by a directory that begins with /; the line is ignored
nsplit-find-disks: disks.conf:5: /dev/disk/by-id/one must be followed by bare or by a directory that begins with /; the line is ignored
nsplit-find-disks: disks.conf:6: more than two words; the line is ignored
nsplit-find-disks: disks.conf:7: wait requires a number of seconds; the line is ignored
nsplit-find-disks: disks.conf:8: wait requires a number of seconds; the line is ignored
nsplit-find-disks: disks.conf:9: wait requires a number of seconds, 99999 at most; the line is ignored
nsplit-find-disks: disks.conf:10: the line must begin with / or wait; the line is ignored"

expect_status 1 "$find_disks" no.conf
expect_out ''
expect_err 'nsplit-find-disks: no.conf: cannot be read'
