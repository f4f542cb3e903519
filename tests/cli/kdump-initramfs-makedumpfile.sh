#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The hook of initramfs-tools with NSPLIT_MAKEDUMPFILE=y: what it adds, and whether the programs of the
# initramfs run without any other file.
# shellcheck source=tests/cli/kdump-lib.sh
. "${srcdir:?}/tests/cli/kdump-lib.sh"

need dash
[ -e /usr/share/initramfs-tools/hook-functions ] || skip 'initramfs-tools is not installed'

root=$PWD/root
system_made "$root"
stub_original "$root/usr/bin/makedumpfile.distrib"
ln -s nsplit "$root/usr/bin/makedumpfile"
mkdir -p conf/conf.d

# hooked STATUS: runs the hook, as mkinitramfs does, for the initramfs in the directory image
hooked() {
	rm -rf image
	mkdir -p image/usr/bin image/usr/lib image/usr/lib64 image/etc
	ln -s usr/bin usr/lib usr/lib64 image/
	# The shell of the stub.  Another hook has copied makedumpfile, as it did before nsplit was installed.
	cp "$root/usr/bin/dash" image/usr/bin/sh
	: > image/usr/bin/makedumpfile
	CONFDIR=$PWD/conf DESTDIR=$PWD/image NSPLIT_ETC=$root/etc NSPLIT_PROGRAMS=$root/usr/bin verbose=n \
		expect_status "$1" sh "$srcdir/kdump/initramfs-tools/hooks/nsplit.in"
}

# Only on request.
hooked 0
absent image/usr/bin/nsplit
[ ! -L image/usr/bin/makedumpfile ] || fail 'there is a link'

# nsplit, the link and the original, and nothing for disks.
echo NSPLIT_MAKEDUMPFILE=y > conf/conf.d/nsplit
hooked 0
expect_err ''
same image/usr/bin/nsplit "$root/usr/bin/nsplit"
libraries_in image
[ "$(readlink image/usr/bin/makedumpfile)" = nsplit ] || fail 'there is no link'
same image/usr/bin/makedumpfile.distrib "$root/usr/bin/makedumpfile.distrib"
absent image/etc/nsplit.conf image/usr/bin/nsplit-mount-disks image/usr/bin/njoin
mv image complete

# The configuration, and no original.
echo 'threads = 2' > "$root/etc/nsplit.conf"
rm "$root/usr/bin/makedumpfile.distrib"
hooked 0
same image/etc/nsplit.conf "$root/etc/nsplit.conf"
[ -L image/usr/bin/makedumpfile ] || fail 'there is no link'
absent image/usr/bin/makedumpfile.distrib

# Without the link, nothing is added; nor with a link that leads nowhere.
mv "$root/usr/bin/nsplit" nsplit
hooked 0
expect_err "W: nsplit: NSPLIT_MAKEDUMPFILE=y, but $root/usr/bin/makedumpfile is not a link to nsplit"
[ ! -L image/usr/bin/makedumpfile ] || fail 'there is a link'
mv nsplit "$root/usr/bin/nsplit"
rm "$root/usr/bin/makedumpfile"
hooked 0
expect_err "W: nsplit: NSPLIT_MAKEDUMPFILE=y, but $root/usr/bin/makedumpfile is not a link to nsplit"
absent image/usr/bin/nsplit

runs_alone complete

# What saves dumps to disks: nsplit and scripts, and no njoin, which they do not call.
echo NSPLIT_CAPTURE=y > conf/conf.d/nsplit
echo '/dev/sdb bare' > "$root/etc/nsplit-disks.conf"
NSPLIT_SCRIPTS=$srcdir/kdump/common
export NSPLIT_SCRIPTS
hooked 0
same image/usr/bin/nsplit-mount-disks "$srcdir/kdump/common/nsplit-mount-disks"
absent image/usr/bin/njoin
