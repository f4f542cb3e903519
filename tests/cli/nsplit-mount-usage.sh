#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Command lines that nsplit-mount refuses before it mounts anything: the exact message.
# shellcheck source=tests/cli/mount-lib.sh
. "${srcdir:?}/tests/cli/mount-lib.sh"
need_program

mkfakevmcore -s 600000 core
nsplit -q -c --chunksize=64K --stripe core a b c
mkfifo fifo
mkdir mnt

# usage TEXT ARGUMENT...
usage() {
	expect_usage nsplit-mount "$@"
}

usage "no MEMBER given"
usage "no MOUNTPOINT given; it is the last operand" a
usage "fifo: is a stream, which cannot be mounted; store it in a file first" \
	a fifo mnt
usage "-: is a stream, which cannot be mounted; store it in a file first" - mnt
usage "--cache: 'x' is not a size$size_rule" --cache=x a b c mnt
usage "--cache: '1Q' is not a size$size_rule" --cache=1Q a b c mnt
usage "-j 0 is out of range; use 1 to 4096" -j0 a b c mnt
usage "--threads 'x' is not a number" --threads=x a b c mnt
expect_usage nsplit-mount "unknown option '--frob'" --frob a mnt
expect_status 2 nsplit-mount 'm{0..254}' mnt
grep -q '^nsplit-mount: members: ' err || fail "too many members: $(cat err)"

# Missing members, files that are not members, and mount points that are not directories.
expect_status 1 nsplit-mount a b c none
expect_err "nsplit-mount: none: No such file or directory"
expect_status 2 nsplit-mount a b c core
expect_err "nsplit-mount: no MOUNTPOINT given: 'core' is a file; the last operand must be a directory, such as mnt after 'mkdir mnt'
Try 'nsplit-mount --help' for more information."
expect_status 2 nsplit-mount core mnt
expect_err "nsplit-mount: core: is an ELF file, not a member of a capture; njoin reads it with --format=kdump, --list or --dmesg"
if have_codec zlib && command -v python3 > /dev/null; then
	python3 -B "$srcdir/tests/readers/core.py" memory
	expect_status 0 njoin -q --format=kdump -o whole memory
	expect_status 0 njoin -q --format=kdump -o part0 -o part1 memory
	python3 "$srcdir/tests/cli/flatten.py" whole 4096 > flat
	for dump in whole flat part0 "part0 part1"; do
		# shellcheck disable=SC2086 # several files
		expect_status 2 nsplit-mount $dump mnt
		expect_err "nsplit-mount: ${dump% *}: is a dump, not a member of a capture; crash opens it as it is, \
and njoin -o FILE makes one intact file of a split, flattened or damaged one"
	done
	expect_status 1 nsplit-mount a whole mnt
	expect_err "nsplit-mount: whole: not a member of an nsplit set: it is a kdump-compressed dump"
fi
expect_status 1 nsplit-mount a core mnt
expect_err "nsplit-mount: core: not a member of an nsplit set: it is an ELF file"
expect_status 1 nsplit-mount x mnt
expect_err "nsplit-mount: x: No such file or directory"
head -c "$(($(stat -c %s a) - 4096))" a > short
expect_status 1 nsplit-mount short b c mnt
grep -q '^nsplit-mount: short: has no footer .*; use --salvage to read what is intact$' err ||
	fail "a member that was cut: $(cat err)"
[ -z "$(ls -A mnt)" ] || fail "something is there: $(ls -A mnt)"

# FUSE's message comes before nsplit-mount's.
need_fuse
expect_status 2 nsplit-mount -o frob a b c mnt
expect_err "fuse: unknown option(s): \`-o frob'
nsplit-mount: FUSE rejected the mount options"
[ -z "$(ls -A mnt)" ] || fail "something is there: $(ls -A mnt)"

# A second mount would hide the first.
nsplit-mount a b c mnt
expect_status 2 nsplit-mount a b c mnt
expect_err "nsplit-mount: mnt: a file system is mounted there already; unmount it, or use another directory"
[ -e mnt/vmcore ] || fail "the first mount is gone"
unmount mnt
[ -z "$(ls -A mnt)" ] || fail "something is still mounted: $(ls -A mnt)"

# A directory that holds something.
echo kept > mnt/old
expect_status 0 nsplit-mount -q a b c mnt
expect_err "nsplit-mount: warning: mnt: is not empty; its files are hidden until it is unmounted"
absent mnt/old
unmount mnt
[ "$(cat mnt/old)" = kept ] || fail "a file of the mount point is lost"
rm mnt/old

# A mount whose program was killed answers nothing.
nsplit-mount -f a b c mnt 2> err &
pid=$!
until_mounted $pid mnt/vmcore
kill -s KILL $pid
wait $pid || :
expect_status 2 nsplit-mount a b c mnt
expect_err "nsplit-mount: mnt: a file system is mounted there already; unmount it, or use another directory"
unmount mnt

# In a running system, /proc/vmcore does not exist.
if [ ! -e /proc/vmcore ]; then
	expect_status 1 nsplit-mount /proc/vmcore mnt
	expect_err "nsplit-mount: /proc/vmcore: exists only in the capture kernel, after a crash; 'nsplit --check-params' checks the setup, and mkfakevmcore makes a core to try with"
fi

# What is mounted may be on the same device as the directory.
if [ "$(id -u)" -eq 0 ] && unshare -m true 2> err; then
	# shellcheck disable=SC2016 # for the other shell
	expect_status 2 unshare -m sh -c 'mount --bind mnt mnt && exec "$@"' sh nsplit-mount a b c mnt
	expect_err "nsplit-mount: mnt: a file system is mounted there already; unmount it, or use another directory"
fi
