#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What our module brings into an initramfs that dracut makes, and when it does.
# shellcheck source=tests/cli/kdump-lib.sh
. "${srcdir:?}/tests/cli/kdump-lib.sh"

need bash dracut cpio
long_test

# As it is installed, and as dracut finds it.
mkdir -p usr/bin usr/lib etc/sysconfig conf.d
cp "$builddir/nsplit" usr/bin/
cp -r /usr/lib/dracut usr/lib/
ours=usr/lib/dracut/modules.d/95nsplit
mkdir "$ours"
cp "$srcdir/kdump/dracut/95nsplit/module-setup.sh" "$srcdir"/kdump/common/nsplit-* \
	"$srcdir/kdump/suse/nsplit-kdump-transfer" "$ours/"

# asked STATUS: what check() answers, by which dracut decides
asked() {
	expect_status "$1" env NSPLIT_ETC="$PWD/etc" moddir="$PWD/$ours" bash -c \
		'add_dracutmodules=$1; . "$moddir/module-setup.sh"; check' - "${2-}"
}

# Only what asks for it gets it, and an initramfs for kdump whose collector it is.
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

# made FILE...: these are in the initramfs, as files below the directory image
made() {
	rm -rf image image.cpio
	dracutbasedir=$PWD/usr/lib/dracut NSPLIT_ETC=$PWD/etc dracut --conf /dev/null \
		--confdir "$PWD/conf.d" --tmpdir "$PWD" --no-kernel --no-hostonly --no-compress \
		--no-early-microcode --force --modules dash --add "nsplit ${module-}" image.cpio \
		> made.log 2>&1 || fail "dracut fails: $(cat made.log)"
	mkdir image
	(cd image && cpio --quiet -i --no-preserve-owner < ../image.cpio) 2> cpio.err ||
		fail "no archive: $(cat cpio.err)"
	for file; do
		[ -e "image/$file" ] || fail "$file is not there: $(cat made.log)"
	done
}

# Nothing is configured: nsplit with its libraries, which runs there.
made usr/bin/nsplit etc/nsplit.conf usr/bin/nsplit-kdump-functions
absent image/etc/kdump/pre.d/90-nsplit-disks image/usr/bin/nsplit-kdump-transfer
lib_expect image/etc/nsplit.conf ''
ldd usr/bin/nsplit > libraries 2>&1 || grep -q 'not a dynamic executable' libraries ||
	fail "ldd: $(cat libraries)"
sed -n 's|^[^/]*\(/[^ ]*\).*|\1|p' libraries > paths
while read -r library; do
	[ -e "image/$library" ] || [ -e "image/$(readlink -f "$library")" ] || fail "$library is not there"
done < paths

# Disks, and a configuration that goes with them; a line that is wrong costs itself.
# The last line of the file has no end.
printf 'compress = lzo' > etc/nsplit.conf
printf '%s\n' '/dev/disk/by-id/one /crash' '/dev/sdb bare' > etc/nsplit-disks.conf
made usr/bin/sleep usr/bin/readlink usr/sbin/blkid usr/bin/mount usr/bin/mkdir usr/bin/date usr/bin/sync
same image/etc/nsplit.conf etc/nsplit.conf
lib_expect image/etc/nsplit-disks.conf '/dev/disk/by-id/one /crash'
[ "$(readlink image/etc/kdump/pre.d/90-nsplit-disks)" = ../../../usr/bin/nsplit-mount-disks ] ||
	fail 'kdump.sh would not call it'
same image/usr/bin/nsplit-mount-disks "$srcdir/kdump/common/nsplit-mount-disks"
[ -x image/usr/bin/nsplit-mount-disks ] || fail 'it is not executable'
grep -q '/dev/sdb may be another disk' made.log || fail "nobody was told: $(cat made.log)"

# Where kdump takes standard output, nsplit is told to write there; a file that says otherwise
# is left alone, and one that makes no sense is told of.
echo 'ssh root@dumps' > etc/kdump.conf
made
lib_expect image/etc/nsplit.conf 'compress = lzo
output = -'
printf '%s\n' 'raw /dev/sdb' 'core_collector nsplit -c' > etc/kdump.conf
printf '%s\n' 'output = /x' 'compres = lzo' > etc/nsplit.conf
made
lib_expect image/etc/nsplit.conf 'output = /x
compres = lzo'
grep -q 'nsplit.conf:2: .*compres' made.log || fail "nobody was told: $(cat made.log)"

# checked COLLECTOR: what the module says when it has asked nsplit, whose words are in the file asked
checked() {
	printf '%s\n' "core_collector $1" "${target-}" > etc/kdump.conf
	rm -rf checked
	mkdir -p checked/etc
	cp etc/nsplit.conf checked/etc/
	expect_status 0 env NSPLIT_ETC="$PWD/etc" initdir="$PWD/checked" moddir="$PWD/$ours" \
		PATH="$PWD/bin:$PATH" bash -c 'dwarning() { echo "$*"; }; find_binary() { echo "$1"; }
			. "$moddir/module-setup.sh"; nsplit_program() { echo "${nsplit-nsplit}"; }
			nsplit_stdout "$initdir/etc/nsplit.conf"; nsplit_check'
}

# What kdump takes for a comment is none of it, and a filter is no reason to warn.
echo 'filter = cat > "$FILE"' > etc/nsplit.conf
checked 'nsplit -c # as kdump reads it'
expect_out ''
checked 'nsplit --nonsense'
[ -s out ] || fail 'nobody was told'
# For ssh it is: there is no name.
target='ssh root@dumps' checked 'nsplit -c'
grep -q 'is no name that --filter could give' out || fail "nobody was told: $(cat out)"

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
	expect_out "-j${words#*|} -c --check-params /proc/vmcore $PWD/checked/vmcore-incomplete"
done
echo 'threads = 3' > etc/nsplit.conf
checked 'nsplit -c'
expect_out "-c --check-params /proc/vmcore $PWD/checked/vmcore-incomplete"
rm -r bin etc/sysconfig/kdump

# SUSE's kdump, of whose module nothing more is needed here than its name.
mkdir usr/lib/dracut/modules.d/98kdump
printf '%s\n' '#!/bin/bash' > usr/lib/dracut/modules.d/98kdump/module-setup.sh
sed -n 's/^    \(KDUMP_TRANSFER=\)/\1/p' "$srcdir/kdump/suse/README.md" > etc/sysconfig/kdump
module=kdump
made usr/bin/nsplit-kdump-transfer
