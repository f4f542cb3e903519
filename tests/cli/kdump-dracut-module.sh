#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the dracut module adds to an initramfs, and when.
# shellcheck source=tests/cli/kdump-lib.sh
. "${srcdir:?}/tests/cli/kdump-lib.sh"

need bash dracut cpio
long_test

# Installed as usual, where dracut finds it.
mkdir -p usr/bin usr/lib etc/sysconfig conf.d
cp "$builddir/nsplit" usr/bin/
cp -r /usr/lib/dracut usr/lib/
ours=usr/lib/dracut/modules.d/95nsplit
mkdir "$ours"
cp "$srcdir"/kdump/dracut/95nsplit/* "$srcdir"/kdump/common/nsplit-* \
	"$srcdir/kdump/suse/nsplit-kdump-transfer" "$ours/"

# asked STATUS: what check() returns to dracut
asked() {
	expect_status "$1" env NSPLIT_ETC="$PWD/etc" moddir="$PWD/$ours" bash -c \
		'add_dracutmodules=$1; . "$moddir/module-setup.sh"; check' - "${2-}"
}

# The module is added only on request, and for kdump if nsplit is the collector.
asked 255
echo 'core_collector nsplit -c' > etc/kdump.conf
asked 255
export IN_KDUMP=1
asked 0
echo 'core_collector "/usr/local/bin/nsplit"' > etc/kdump.conf
asked 0
echo 'core_collector makedumpfile -l nsplit' > etc/kdump.conf
asked 255
echo '#core_collector nsplit' > etc/kdump.conf
asked 255
echo 'core_collector nsplit-other' > etc/kdump.conf
asked 255
unset IN_KDUMP
sed -n 's/^    \(KDUMP_TRANSFER=\)/\1/p' "$srcdir/kdump/suse/README.md" > etc/sysconfig/kdump
asked 255
asked 0 'kdump'
rm etc/kdump.conf etc/sysconfig/kdump

# image_made: succeeds if dracut makes image.cpio
image_made() {
	rm -rf image image.cpio
	dracutbasedir=$PWD/usr/lib/dracut NSPLIT_ETC=$PWD/etc dracut --conf /dev/null \
		--confdir "$PWD/conf.d" --tmpdir "$PWD" --no-kernel --no-hostonly --no-compress \
		--no-early-microcode --force --modules dash --add "nsplit ${module-}" image.cpio \
		> made.log 2>&1
}

# made FILE...: makes an initramfs that contains these files, and unpacks it into the directory
# image
made() {
	image_made || fail "dracut fails: $(cat made.log)"
	mkdir image
	(cd image && cpio --quiet -i --no-preserve-owner < ../image.cpio) 2> cpio.err ||
		fail "no archive: $(cat cpio.err)"
	for file; do
		[ -e "image/$file" ] || fail "$file is not there: $(cat made.log)"
	done
}

# Without configuration: nsplit and its libraries.
made usr/bin/nsplit etc/nsplit.conf usr/bin/nsplit-kdump-functions
absent image/etc/kdump/pre.d/90-nsplit-disks image/usr/bin/nsplit-kdump-transfer
lib_expect image/etc/nsplit.conf ''
ldd usr/bin/nsplit > libraries 2>&1 || grep -q 'not a dynamic executable' libraries ||
	fail "ldd: $(cat libraries)"
sed -n 's|^[^/]*\(/[^ ]*\).*|\1|p' libraries > paths
while read -r library; do
	[ -e "image/$library" ] || [ -e "image/$(readlink -f "$library")" ] || fail "$library is not there"
done < paths

# Disks, and a configuration whose last line lacks its newline; a wrong line is ignored.
printf 'compress = lzo' > etc/nsplit.conf
printf '%s\n' '/dev/disk/by-id/one /crash' '/dev/sdb bare' > etc/nsplit-disks.conf
made usr/bin/sleep usr/bin/readlink usr/sbin/blkid usr/bin/mount usr/bin/mkdir usr/bin/date usr/bin/sync
same image/etc/nsplit.conf etc/nsplit.conf
lib_expect image/etc/nsplit-disks.conf '/dev/disk/by-id/one /crash'
[ "$(readlink image/etc/kdump/pre.d/90-nsplit-disks)" = ../../../usr/bin/nsplit-mount-disks ] ||
	fail 'kdump.sh would not run it'
same image/usr/bin/nsplit-mount-disks "$srcdir/kdump/common/nsplit-mount-disks"
[ -x image/usr/bin/nsplit-mount-disks ] || fail 'it is not executable'
grep -q '/dev/sdb may be another disk' made.log || fail "no warning: $(cat made.log)"

# If kdump reads standard output, the module adds that output to nsplit.conf; an output that is set
# there is kept.
echo 'ssh root@dumps' > etc/kdump.conf
made
lib_expect image/etc/nsplit.conf 'compress = lzo
output = -'
printf '%s\n' 'raw /dev/sdb' 'core_collector nsplit -c' > etc/kdump.conf
echo 'output = /dev/null' > etc/nsplit.conf
made
lib_expect image/etc/nsplit.conf 'output = /dev/null'

# kdump's collector is a script that calls nsplit, and makedumpfile if that fails.
[ -x image/usr/libexec/nsplit/nsplit ] || fail 'nsplit is not executable'
same image/usr/bin/nsplit "$srcdir/kdump/dracut/95nsplit/nsplit-or-makedumpfile"
absent image/usr/local/bin/nsplit
echo 'core_collector "/usr/local/bin/nsplit" -c # LZO' > etc/kdump.conf
made
same image/usr/local/bin/nsplit image/usr/bin/nsplit

# An error in an option or in the file, which would be found only after a crash, ends dracut.
echo 'core_collector nsplit -c' > etc/kdump.conf
printf '%s\n' 'output = /dev/null' 'compres = lzo' > etc/nsplit.conf
image_made || fail "not only for kdump: $(cat made.log)"
export IN_KDUMP=1
image_made && fail "an initramfs is made: $(cat made.log)"
grep -q 'nsplit.conf:2: .*compres' made.log || fail "no warning: $(cat made.log)"
: > etc/nsplit.conf
echo 'core_collector nsplit -l --message-level 7 -d 31' > etc/kdump.conf
image_made && fail "an initramfs is made: $(cat made.log)"
grep -q "unknown option '--message-level'" made.log || fail "no warning: $(cat made.log)"
# The lines of the guide are right, and so is a level in the file.
sed -n 's/^    \(core_collector nsplit .*\)/\1/p' "$srcdir/kdump/dracut/README.md" > etc/kdump.conf
[ -s etc/kdump.conf ] || fail 'no line in README.md'
made
echo 'core_collector nsplit -c --exclude=free,user' > etc/kdump.conf
made
echo 'core_collector nsplit' > etc/kdump.conf
printf '%s\n' 'dump-level = 31' 'also = /nowhere/x' 'fallback = |ssh h cat' > etc/nsplit.conf
made
# What the outputs are now is no such error: a crash may have left them.
: > existing
echo "also = $PWD/existing" > etc/nsplit.conf
made
grep -q 'existing: already exists' made.log || fail "no warning: $(cat made.log)"

# checked COLLECTOR [STATUS]: leaves the module's warnings in the file out
checked() {
	printf '%s\n' "core_collector $1" "${target-}" > etc/kdump.conf
	rm -rf checked
	mkdir -p checked/etc
	cp etc/nsplit.conf checked/etc/
	expect_status "${2-0}" env NSPLIT_ETC="$PWD/etc" initdir="$PWD/checked" moddir="$PWD/$ours" \
		PATH="$PWD/bin:$PATH" bash -c 'dwarning() { echo "$*"; }; dfatal() { echo "$*"; }; find_binary() { echo "$1"; }
			. "$moddir/module-setup.sh"; nsplit_program() { echo "${nsplit-nsplit}"; }
			nsplit_stdout "$initdir/etc/nsplit.conf"; nsplit_check'
}

# A comment of kdump.conf is not passed to nsplit, and a filter causes no warning.
echo 'filter = cat > "$FILE"' > etc/nsplit.conf
checked 'nsplit -c # as kdump reads it'
# Whether a crash of this machine makes a dump does not matter here.
sed -i '/: this kernel has no kexec/d; /: no memory is reserved for a capture kernel/d' out
expect_out ''
IN_KDUMP=1 checked 'nsplit --nonsense' 1
expect_out "nsplit: unknown option '--nonsense'
Try 'nsplit --help' for more information.
nsplit: correct core_collector in kdump.conf, or nsplit.conf"
# With ssh it does: a filter needs a file name.
target='ssh root@dumps' checked 'nsplit -c'
grep -q 'cannot be combined with --filter' out || fail "no warning: $(cat out)"

# As many threads as the capture kernel has CPUs.
mkdir bin
stub bin/nproc <<- 'END'
	echo 8
END
stub bin/nsplit <<- 'END'
	echo "$*"
END
: > etc/nsplit.conf
for words in '"irqpoll nr_cpus=1"|1' 'irqpoll|8'; do
	echo "KDUMP_COMMANDLINE_APPEND=${words%|*}" > etc/sysconfig/kdump
	checked 'nsplit -c'
	expect_out "-j${words#*|} -c --check-params --capture-only /proc/vmcore $PWD/checked/vmcore-incomplete"
done
echo 'threads = 3' > etc/nsplit.conf
checked 'nsplit -c'
expect_out "-c --check-params --capture-only /proc/vmcore $PWD/checked/vmcore-incomplete"
# The capture kernel cannot be loaded yet; other problems are shown.
stub bin/nsplit <<- 'END'
	echo 'nsplit: no capture kernel is loaded, so a crash makes no dump' >&2
	echo 'nsplit: another problem' >&2
END
checked 'nsplit -c'
expect_out 'nsplit: another problem'
rm -r bin etc/sysconfig/kdump

# Of SUSE's kdump, only the name of its module is needed here.
mkdir usr/lib/dracut/modules.d/98kdump
printf '%s\n' '#!/bin/bash' > usr/lib/dracut/modules.d/98kdump/module-setup.sh
sed -n 's/^    \(KDUMP_TRANSFER=\)/\1/p' "$srcdir/kdump/suse/README.md" > etc/sysconfig/kdump
module=kdump
made usr/bin/nsplit-kdump-transfer
