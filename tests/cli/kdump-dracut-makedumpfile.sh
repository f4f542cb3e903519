#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The dracut module where makedumpfile is a link to nsplit: when it is included, what it adds, and whether
# the programs of the initramfs run without any other file.
# shellcheck source=tests/cli/kdump-lib.sh
. "${srcdir:?}/tests/cli/kdump-lib.sh"

need bash dracut cpio dash
long_test

# The system for which the initramfs is made: nsplit, a shell, and dracut.
root=$PWD/root
system_made "$root"
NSPLIT_ETC=$root/etc
export NSPLIT_ETC
cp -r /usr/lib/dracut "$root/usr/lib/"
modules=$root/usr/lib/dracut/modules.d
mkdir "$modules/95nsplit" "$modules/99kdumpbase" conf.d
cp "$srcdir"/kdump/dracut/95nsplit/* "$srcdir"/kdump/common/nsplit-* "$modules/95nsplit/"
# The line of kdump-utils that installs the collector.
cat > "$modules/99kdumpbase/module-setup.sh" << 'END'
#!/bin/bash
check() { return 0; }
install() { inst "/sbin/makedumpfile" "/sbin/makedumpfile"; }
END

# asked STATUS [MODULES]: what check() returns to dracut
asked() {
	expect_status "$1" env dracutsysrootdir="$root" moddir="$modules/95nsplit" bash -c \
		'add_dracutmodules=$1; . "$moddir/module-setup.sh"; check' - "${2-}"
}

# Without the link, and for an initramfs that is not for kdump, the module is added only on request.
stub_original "$root/usr/sbin/makedumpfile"
echo 'core_collector makedumpfile -l --message-level 7 -d 31' > "$root/etc/kdump.conf"
IN_KDUMP=1 asked 255
asked 255 kdump
mv "$root/usr/sbin/makedumpfile" "$root/usr/sbin/makedumpfile.distrib"
IN_KDUMP=1 asked 255
ln -s ../bin/nsplit "$root/usr/sbin/makedumpfile"
asked 255
IN_KDUMP=1 asked 0
asked 0 kdump
ln -sf makedumpfile.distrib "$root/usr/sbin/makedumpfile"
IN_KDUMP=1 asked 255
ln -sf ../bin/nsplit "$root/usr/sbin/makedumpfile"
IN_KDUMP=1
export IN_KDUMP

# made [MODULE]: makes an initramfs without requesting our module, and unpacks it into the directory image
made() {
	rm -rf image image.cpio
	dracutbasedir=$root/usr/lib/dracut dracut --sysroot "$root" --conf /dev/null \
		--confdir "$PWD/conf.d" --tmpdir "$PWD" --no-kernel --no-hostonly --no-compress \
		--no-early-microcode --force --modules "dash nsplit ${1-}" "$PWD/image.cpio" \
		> made.log 2>&1 || fail "dracut fails: $(cat made.log)"
	mkdir image
	(cd image && cpio --quiet -i --no-preserve-owner < ../image.cpio) 2> cpio.err ||
		fail "no archive: $(cat cpio.err)"
	! grep -E 'FAILED|ERROR' made.log || fail 'dracut does not find everything'
}

# nsplit, the link and the original, and no list of disks: as makedumpfile, nsplit has no further outputs.
echo '/mnt/disk1/crash' > "$root/etc/nsplit-disks.conf"
made kdumpbase
[ -x image/usr/bin/nsplit ] || fail 'nsplit is not there'
libraries_in image
[ "$(readlink image/usr/sbin/makedumpfile)" = ../bin/nsplit ] || fail 'there is no link'
same image/usr/sbin/makedumpfile.distrib "$root/usr/sbin/makedumpfile.distrib"
absent image/etc/nsplit.conf image/etc/kdump/pre.d image/usr/bin/nsplit-mount-disks
! grep -i 'nsplit:' made.log || fail 'it complains'

# The configuration is copied as it is, whatever its outputs are.
printf '%s\n' 'threads = 2' 'output = /nowhere/x' > "$root/etc/nsplit.conf"
made kdumpbase
same image/etc/nsplit.conf "$root/etc/nsplit.conf"
! grep -i 'nsplit:' made.log || fail 'it complains'
# The commands of kdump/dracut/README.md that look into an initramfs.
if command -v lsinitrd > /dev/null; then
	lsinitrd image.cpio > lsinitrd.out 2> err || fail "lsinitrd fails: $(cat err)"
	grep -q 'usr/bin/nsplit$' lsinitrd.out || fail "lsinitrd does not show nsplit: $(cat lsinitrd.out)"
	lsinitrd -f /etc/nsplit.conf image.cpio > lsinitrd.out 2> err || fail "lsinitrd -f fails: $(cat err)"
	same lsinitrd.out "$root/etc/nsplit.conf"
fi
mv image complete

# A link that leads to an nsplit outside of /usr/bin, where there is no other: that program is taken.
mkdir -p "$root/opt/dump"
mv "$root/usr/bin/nsplit" "$root/opt/dump/nsplit"
ln -sf ../../opt/dump/nsplit "$root/usr/sbin/makedumpfile"
asked 0 kdump
made kdumpbase
# dracut strips it, which changes the header from its 41st byte on.
head -c 40 "$root/opt/dump/nsplit" > want
head -c 40 image/usr/bin/nsplit > got
same got want
[ "$(readlink image/usr/sbin/makedumpfile)" = ../bin/nsplit ] || fail 'the link leads to the old place'
libraries_in image
# So is it if /usr/bin has another one.
cp "$root/usr/sbin/makedumpfile.distrib" "$root/usr/bin/nsplit"
made kdumpbase
head -c 40 image/usr/bin/nsplit > got
same got want
mv "$root/opt/dump/nsplit" "$root/usr/bin/nsplit"
ln -sf ../bin/nsplit "$root/usr/sbin/makedumpfile"

# Without an original, and with a kdump that does not install the link itself.
mv "$root/usr/sbin/makedumpfile.distrib" distrib
made
[ -L image/usr/sbin/makedumpfile ] || fail 'there is no link'
absent image/usr/sbin/makedumpfile.distrib image/usr/bin/makedumpfile.distrib

# second_collector FILE: makedumpfile of an initramfs whose collector is nsplit, where /usr/bin/nsplit is a
# script that calls makedumpfile, is FILE
second_collector() {
	rm -rf second
	mkdir -p second/usr/sbin
	expect_status 0 env dracutsysrootdir="$root" initdir="$PWD/second" moddir="$modules/95nsplit" bash -c '
		inst() { mkdir -p "$(dirname "$initdir$2")" && cp "$root${1#"$root"}" "$initdir$2"; }
		inst_libdir_file() { echo "$1"; }
		root=$dracutsysrootdir
		. "$moddir/module-setup.sh"
		nsplit_programs'
	same second/usr/bin/nsplit "$srcdir/kdump/dracut/95nsplit/nsplit-or-makedumpfile"
	[ ! -L second/usr/sbin/makedumpfile ] || fail 'the script would call itself'
	same second/usr/sbin/makedumpfile "$1"
}
echo 'core_collector nsplit -c -d 31' > "$root/etc/kdump.conf"
second_collector "$root/usr/bin/nsplit"
mv distrib "$root/usr/sbin/makedumpfile.distrib"
second_collector "$root/usr/sbin/makedumpfile.distrib"

runs_alone complete
