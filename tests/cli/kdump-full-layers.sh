#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Too little space for a dump that leaves most pages out: the system's own collector does not run, since
# its dump would not be smaller, and nothing is truncated.  If pages are captured after all, it does.
# shellcheck source=tests/cli/kdump-debian-lib.sh
. "${srcdir:?}/tests/cli/kdump-debian-lib.sh"

need_small
make_core kinds

not_truncated() {
	! grep 'truncated\|removed' err || fail 'a member was truncated'
}

# The core has 33 MiB, of which 24 are kept; 28 if the user's pages are captured after all.
incomplete='saved incompletely: .* missing because of full outputs: '
configure() {
	printf '%s\n' 'compress = raw' 'dump-level = 31' > etc/nsplit.conf
}

# --- Debian -------------------------------------------------------------------

settings KDUMP_NUM_DUMPS=1
configure
cp kinds vmcore
small crash1 10
small crash2 10
saves 'reboot -f -n'
says "kdump-tools-save: $incomplete$PWD/crash1, $PWD/crash2"
not_truncated
expect_status 3 njoin -q --salvage -o copy crash?/*/vmcore-partial.*.nsplit
umount crash1 crash2

cp doubted vmcore
small crash1 13
small crash2 13
saves 'kdump-tools start'
says "kdump-tools-save: $incomplete$PWD/crash1, $PWD/crash2"
said 'kdump-tools-save: falling back to kdump-tools'
umount crash1 crash2

# With one class only, the collector's dump is smaller.
cp kinds vmcore
printf '%s\n' 'compress = raw' 'exclude = free' > etc/nsplit.conf
small crash1 10
small crash2 10
saves 'kdump-tools start'
umount crash1 crash2
configure

# --- SUSE ---------------------------------------------------------------------

suse_transfer
small mnt 20
echo KDUMP_SAVEDIR=/crash > etc/kdump.conf
expect_status 0 suse/nsplit-kdump-transfer /crash
says "nsplit-kdump-transfer: $incomplete$PWD/mnt/crash"
not_truncated
one mnt/crash/*/vmcore-incomplete
umount mnt

# --- initramfs-tools ----------------------------------------------------------

small_premount 20 'compress = raw' 'dump-level = 31'
# kdump-tools is installed.
: > etc/nsplit-collector
rm -f ended
PATH=$PWD/bin:$PATH expect_status 0 sh premount
lib_expect ended 'reboot -n -f'
says "nsplit: $incomplete$PWD/run/nsplit/1"
not_truncated
