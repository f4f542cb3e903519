#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit warns of a dump of /proc/vmcore to a file system in memory, at the start and at the end,
# and --check-params fails.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

need unshare
need_root "a mount namespace"
unshare -m true 2> unshare.err || skip "no mount namespace: $(cat unshare.err)"
mkfakevmcore -s 1M core

# with_vmcore COMMAND...: in a namespace whose /proc has a vmcore, with a tmpfs at mem, a ramfs at
# ram, an overlay that is written to mem, and, in the current directory, a disk or the file system
# of the test
cat > with_vmcore << 'END'
set -eu
mkdir -p proc mem ram overlay
mount --rbind /proc proc
mount -t tmpfs -o size=16M none /proc
for entry in proc/*; do
	ln -s "$PWD/$entry" "/proc/${entry#proc/}"
done
rm -f /proc/vmcore
cp core /proc/vmcore
ln -sf /proc/vmcore vmcore
mount -t tmpfs -o size=16M none mem
mount -t ramfs none ram
mkdir mem/upper mem/work mem/lower
mount -t overlay -o lowerdir=mem/lower,upperdir=mem/upper,workdir=mem/work none overlay ||
	rmdir overlay
"$@"
END

# capture SCRIPT: runs it there
capture() {
	status=0
	unshare -m sh with_vmcore sh -euc "$1" 2> err || status=$?
}

# warned NAME KIND: the warnings appear as often as they should
warned() {
	grep -cxF "nsplit: warning: $1: is in memory ($2); this part of the dump is lost when the machine restarts; mount the disk first, or copy the file before the restart" err || :
}

on_disk=yes
case $(stat -f -c %T .) in
tmpfs | ramfs | overlayfs) on_disk=no ;;
esac

for file in mem/a:tmpfs ram/a:ramfs overlay/a:tmpfs; do
	name=${file%:*} kind=${file#*:}
	capture "[ -d ${name%/a} ] || exit 99; nsplit -q /proc/vmcore $name; cp $name got"
	[ $status -ne 99 ] || { echo "no overlay here"; continue; }
	[ "$status" -eq 0 ] || fail "$name: status $status: $(cat err)"
	[ "$(warned $name $kind)" -eq 2 ] || fail "$name: $(cat err)"
	tail -n 1 err | grep -q "^nsplit: warning: $name" || fail "the warning is not at the end: $(cat err)"
	expect_joined core got
done

# Under another name, through a filter, in a dry run; and one of two outputs.
capture 'nsplit -q vmcore mem/a'
[ $status -eq 0 ] && [ "$(warned mem/a tmpfs)" -eq 2 ] || fail "$status: $(cat err)"
capture "nsplit -q '--filter=cat > \"\$FILE\"' /proc/vmcore mem/a"
[ $status -eq 0 ] && [ "$(warned mem/a tmpfs)" -eq 2 ] || fail "$status: $(cat err)"
capture 'nsplit -n /proc/vmcore mem/a > out'
[ $status -eq 0 ] && [ "$(warned mem/a tmpfs)" -eq 1 ] || fail "$status: $(cat err)"
if [ $on_disk = yes ]; then
	capture 'nsplit -q --stripe --chunksize=64K /proc/vmcore a mem/b'
	[ $status -eq 0 ] && [ "$(grep -c warning: err)" -eq 2 ] && [ "$(warned mem/b tmpfs)" -eq 2 ] ||
		fail "$status: $(cat err)"
	rm a
	capture 'nsplit -q /proc/vmcore a'
	[ $status -eq 0 ] && [ ! -s err ] || fail "$status: $(cat err)"
	rm a
	capture 'nsplit --check-params /proc/vmcore a'
	[ $status -eq 0 ] && [ ! -s err ] || fail "$status: $(cat err)"
fi

# Other sources than /proc/vmcore cause no warning.
capture 'nsplit -q core mem/a'
[ $status -eq 0 ] && [ ! -s err ] || fail "$status: $(cat err)"

# The check in the running system.
capture 'nsplit --check-params /proc/vmcore mem/a'
[ $status -eq 1 ] || fail "status $status: $(cat err)"
[ "$(cat err)" = "nsplit: mem/a: is in memory (tmpfs); this part of the dump is lost when the machine restarts; mount the disk first, or copy the file before the restart" ] || fail "$(cat err)"
capture 'rm /proc/vmcore; nsplit --check-params /proc/vmcore mem/a'
[ $status -eq 1 ] || fail "status $status: $(cat err)"
grep -q '^nsplit: mem/a: is in memory (tmpfs); ' err || fail "$(cat err)"
