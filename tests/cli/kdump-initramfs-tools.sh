#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the script of the initramfs does around nsplit, with paths of the test's own and stubs of
# what mounts and reboots; and the hook, where a program is not there.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

here=$srcdir/kdump/initramfs-tools
# Whatever hangs there is left behind.
trap 'xargs -r kill < "$lib_dir/hanging" 2> /dev/null || :; lib_clean' EXIT
mkdir -p bin etc run/1 run/2 conf/conf.d
: > hanging
: > vmcore
cp "$srcdir/kdump/disks/nsplit-kdump-functions" bin/
sed -e "s|/proc/vmcore|$PWD/vmcore|g" -e "s|/proc/sysrq-trigger|$PWD/sysrq|" \
	-e "s|/usr/bin/nsplit|$PWD/bin/nsplit|" -e "s|/etc/|$PWD/etc/|g" -e "s|/run/nsplit|$PWD/run|" \
	-e 's|^sleep 60|echo asleep >> steps|' "$here/init-premount/nsplit" > premount

# stub NAME LINE: a program that leaves its name and words in the file steps
stub() {
	printf '%s\n' '#!/bin/sh' "echo \"$1 \$*\" >> $PWD/steps" "$2" > "bin/$1"
	chmod +x "bin/$1"
}

# premount STATUS: what it does where nsplit ends so; in any order, what is done at once
premount() {
	stub nsplit "exit $1"
	rm -f steps
	PATH=$PWD/bin:$PATH expect_status 0 timeout -s KILL 60 sh premount
	sort steps > did
	absent sysrq
}

stub nsplit-mount-disks ''
stub umount ''
stub reboot ''
premount 0
expect_err ''
lib_expect did "asleep
nsplit -c $PWD/vmcore
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
expect_err 'nsplit: saved but for pages that could not be read'
grep -qx "nsplit -c $PWD/vmcore" did || fail "it is not compressed: $(cat did)"
echo 'compress = zstd' > etc/nsplit.conf
premount 0
grep -qx "nsplit $PWD/vmcore" did || fail "compress is not obeyed: $(cat did)"

# After a failure the boot goes on, and no disk is in its way.
premount 1
expect_err 'nsplit: not saved; the boot goes on'
lib_expect did "nsplit $PWD/vmcore
nsplit-mount-disks output
umount $PWD/run/1
umount $PWD/run/2"

# One that hangs is not waited for.
sed -i 's|deadline 60|deadline 2|' premount
stub umount "case \$1 in *1) echo \$\$ >> $PWD/hanging && exec sleep 300 ;; esac"
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
