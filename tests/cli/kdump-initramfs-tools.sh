#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the script of the initramfs does before and after nsplit, with stubs of the programs that
# mount and reboot; and the hook, if a program is missing.
# shellcheck source=tests/cli/kdump-lib.sh
. "${srcdir:?}/tests/cli/kdump-lib.sh"

here=$srcdir/kdump/initramfs-tools
mkdir -p bin etc run/nsplit/1 run/nsplit/2 conf/conf.d
: > vmcore
NSPLIT_ETC=$PWD/etc
NSPLIT_RUN=$PWD
NSPLIT_CONFIG=$PWD/etc/nsplit.conf
export NSPLIT_ETC NSPLIT_RUN NSPLIT_CONFIG
# The option of each call of nsplit.
figures="--stats=$PWD/nsplit-figures"
make_premount

# step NAME LINE: makes a stub in bin that appends its name and arguments to the file steps and runs
# LINE
step() {
	stub "bin/$1" <<- END
		echo "$1 \$*" >> $PWD/steps
		$2
	END
}

# premount STATUS: runs the script with an nsplit that ends with STATUS; leaves the steps, sorted,
# in the file did
premount() {
	step nsplit "exit $1"
	rm -f steps
	PATH=$PWD/bin:$PATH expect_status 0 timeout -s KILL 60 sh premount
	sort steps > did
	absent sysrq
}

step nsplit-mount-disks ''
step umount ''
step reboot ''
premount 0
expect_err 'nsplit: saved completely'
lib_expect did "asleep
nsplit $figures -c $PWD/vmcore
nsplit-mount-disks output
reboot -n -f
umount $PWD/run/nsplit/1
umount $PWD/run/nsplit/2"
tail -n 2 steps > last
lib_expect last 'reboot -n -f
asleep'

# The codec of the configuration, if it names one.
echo 'sink-timeout = 60' > etc/nsplit.conf
premount 3
expect_err 'nsplit: saved incompletely: the messages of nsplit say what is missing'
grep -qx "nsplit $figures -c $PWD/vmcore" did || fail "it is not compressed: $(cat did)"
echo 'compress = zstd' > etc/nsplit.conf
premount 0
grep -qx "nsplit $figures $PWD/vmcore" did || fail "compress is not obeyed: $(cat did)"

# If pages cannot be read, no other program can read them either.  If space runs out, kdump-tools
# runs, if it is installed.
# premount_figures FIGURES...: likewise, with an nsplit that ends with 3 and writes these statistics
premount_figures() {
	made_figures "$@" > made
	step nsplit "cp $PWD/made \"\${1#--stats=}\"; exit 3"
	rm -f steps
	PATH=$PWD/bin:$PATH expect_status 0 timeout -s KILL 60 sh premount
}
premount_figures 4194304 12288 whole
expect_err 'nsplit: saved incompletely: 12.0 KiB could not be read'
grep -qx 'reboot -n -f' steps || fail 'no reboot'
premount_figures 1572864 0 full
grep -qx 'reboot -n -f' steps || fail 'no reboot, although nothing else saves a dump'
: > etc/nsplit-collector
premount_figures 1572864 0 full
expect_err 'nsplit: saved incompletely: 2.5 MiB missing because of full outputs: /dev/sdb
nsplit: continuing to boot'
! grep reboot steps || fail 'kdump-tools does not run'
premount_figures 4194304 12288 whole
grep -qx 'reboot -n -f' steps || fail 'no reboot'
rm etc/nsplit-collector

# After a failure the boot continues, and no disk delays it.
premount 1
expect_err 'nsplit: not saved: nsplit failed (exit status 1)
nsplit: continuing to boot'
lib_expect did "nsplit $figures $PWD/vmcore
nsplit-mount-disks output
umount $PWD/run/nsplit/1
umount $PWD/run/nsplit/2"

# A disk that hangs is not waited for.
sed -i 's|deadline 60|deadline 2|' premount
step umount "case \$1 in *1) echo \$\$ >> $PWD/hanging && exec sleep 300 ;; esac"
premount 0
grep -qx 'reboot -n -f' did || fail 'no reboot'

# In other kernels, nothing is done.
mv vmcore none
rm steps
PATH=$PWD/bin:$PATH expect_status 0 sh premount
absent steps

# The hook does not make an initramfs without nsplit, which would save nothing.
[ -e /usr/share/initramfs-tools/hook-functions ] || skip 'initramfs-tools is not installed'
echo NSPLIT_CAPTURE=y > conf/conf.d/nsplit
CONFDIR=$PWD/conf DESTDIR=$PWD/image NSPLIT_PROGRAMS=$PWD/nowhere \
	expect_status 1 sh "$here/hooks/nsplit.in"
expect_err "E: nsplit: NSPLIT_CAPTURE=y, but $PWD/nowhere/nsplit does not exist"
