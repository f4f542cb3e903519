#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the script of the initramfs does around nsplit, with paths of the test's own and stubs of
# what mounts and reboots; and the hook, where a program is not there.
# shellcheck source=tests/cli/kdump-lib.sh
. "${srcdir:?}/tests/cli/kdump-lib.sh"

here=$srcdir/kdump/initramfs-tools
mkdir -p bin etc run/1 run/2 conf/conf.d
: > vmcore
NSPLIT_ETC=$PWD/etc
NSPLIT_RUN=$PWD
NSPLIT_CONFIG=$PWD/etc/nsplit.conf
export NSPLIT_ETC NSPLIT_RUN NSPLIT_CONFIG
# What each call of nsplit has.
figures="--stats=$PWD/nsplit-figures"
cp "$srcdir/kdump/disks/nsplit-kdump-functions" bin/
sed -e "s|/proc/vmcore|$PWD/vmcore|g" -e "s|/proc/sysrq-trigger|$PWD/sysrq|" \
	-e "s|/usr/bin/nsplit|$PWD/bin/nsplit|" -e "s|/etc/|$PWD/etc/|g" -e "s|/run/nsplit|$PWD/run|" \
	-e 's|^sleep 60|echo asleep >> steps|' "$here/init-premount/nsplit" > premount

# step NAME LINE: a stub in bin that leaves its name and words in the file steps
step() {
	stub "bin/$1" <<- END
		echo "$1 \$*" >> $PWD/steps
		$2
	END
}

# premount STATUS: what it does where nsplit ends so; in any order, what is done at once
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
expect_err 'nsplit: saved whole'
lib_expect did "asleep
nsplit $figures -c $PWD/vmcore
nsplit-mount-disks output
reboot -n -f
umount $PWD/run/1
umount $PWD/run/2"
tail -n 2 steps > last
lib_expect last 'reboot -n -f
asleep'

# The codec is that of the configuration, if it has one.
echo 'sink-timeout = 60' > etc/nsplit.conf
premount 3
expect_err 'nsplit: saved in part: nsplit has said what is missing'
grep -qx "nsplit $figures -c $PWD/vmcore" did || fail "it is not compressed: $(cat did)"
echo 'compress = zstd' > etc/nsplit.conf
premount 0
grep -qx "nsplit $figures $PWD/vmcore" did || fail "compress is not obeyed: $(cat did)"

# What cannot be read is missing for everybody; what has no room is not, and kdump-tools tries if it
# is there.
made_figures() {
	printf '{\n  "source_size": 4194304,\n  "block_size": 4096,\n  "source_bytes": %s,\n' "$1"
	printf '  "blocks": {\n    "unreadable": %s\n  },\n  "rungs": [\n    {\n' "$2"
	printf '      "source_bytes": 7\n    }\n  ],\n  "sinks": [\n    {\n      "name": "/dev/sdb",\n'
	printf '      "state": "%s",\n      "source_bytes": 7\n    }\n  ]\n}\n' "$3"
}
# premount_figures: where nsplit ends with 3 and writes those that were made
premount_figures() {
	made_figures "$@" > made
	step nsplit "cp $PWD/made \"\${1#--stats=}\"; exit 3"
	rm -f steps
	PATH=$PWD/bin:$PATH expect_status 0 timeout -s KILL 60 sh premount
}
premount_figures 4194304 3 whole
expect_err 'nsplit: saved in part: 12.0 KiB could not be read'
grep -qx 'reboot -n -f' steps || fail 'no reboot'
premount_figures 1572864 0 full
expect_err 'nsplit: saved in part: 2.5 MiB missing because this is full: /dev/sdb'
grep -qx 'reboot -n -f' steps || fail 'no reboot, and nothing else will save'
premount_figures 4193280 2 failed
expect_err 'nsplit: saved in part: 1.0 KiB missing because outputs have failed'
: > etc/nsplit-collector
premount_figures 1572864 0 full
expect_err 'nsplit: saved in part: 2.5 MiB missing because this is full: /dev/sdb
nsplit: the boot goes on'
! grep reboot steps || fail 'kdump-tools has no turn'
premount_figures 4194304 3 whole
grep -qx 'reboot -n -f' steps || fail 'no reboot'
rm etc/nsplit-collector

# After a failure the boot goes on, and no disk is in its way.
premount 1
expect_err 'nsplit: not saved: nsplit failed (exit status 1)
nsplit: the boot goes on'
lib_expect did "nsplit $figures $PWD/vmcore
nsplit-mount-disks output
umount $PWD/run/1
umount $PWD/run/2"

# One that hangs is not waited for.
sed -i 's|deadline 60|deadline 2|' premount
step umount "case \$1 in *1) echo \$\$ >> $PWD/hanging && exec sleep 300 ;; esac"
premount 0
grep -qx 'reboot -n -f' did || fail 'no reboot'

# In any other kernel nothing is done.
mv vmcore none
rm steps
PATH=$PWD/bin:$PATH expect_status 0 sh premount
absent steps

# An initramfs without nsplit would save nothing.
[ -e /usr/share/initramfs-tools/hook-functions ] || skip 'initramfs-tools is not installed'
echo NSPLIT_CAPTURE=y > conf/conf.d/nsplit
CONFDIR=$PWD/conf DESTDIR=$PWD/image NSPLIT_PROGRAMS=$PWD/nowhere \
	expect_status 1 sh "$here/hooks/nsplit.in"
expect_err "E: nsplit: NSPLIT_CAPTURE=y, but there is no $PWD/nowhere/nsplit"
