# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The beginning of scripts that make file systems, devices and cgroups, small or broken on purpose.
# When the script ends, for whatever reason, its programs are killed first, and then everything is
# removed.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
long_test

system_at_exit=		# commands, the last registered one first

# A command is registered before what it removes exists, so it must do no harm then.
system_clean() {
	trap '' HUP INT TERM
	exec 2> /dev/null
	lib_kill
	cd "$lib_dir" || :
	eval "$system_at_exit"
	lib_clean
}

trap system_clean EXIT

# at_exit COMMAND: runs COMMAND in the test's directory when the script ends, the last one first
at_exit() {
	system_at_exit="$1 || :
$system_at_exit"
}

# retry COMMAND...: repeats it until it succeeds, for some seconds.  An nsplit that was killed is
# two processes: the second one dies when the first one has died, but only the first one can be
# waited for.  Until then, the second one keeps file systems in use.
retry() {
	system_tries=0
	until "$@"; do
		system_tries=$((system_tries + 1))
		[ $system_tries -lt 200 ] || return 1
		sleep 0.05
	done
}

# unmount DIRECTORY: succeeds if nothing is mounted there afterwards.  mountpoint(1) looks at the file
# system, which may be broken.
unmount() {
	umount "$1" || ! grep -q " $(pwd -P)/$1 " /proc/self/mountinfo
}

# make_tmpfs DIRECTORY SIZE
make_tmpfs() {
	need_root "mounting a file system"
	need mount
	mkdir "$1"
	at_exit "retry unmount $1 || umount -l $1"
	mount -t tmpfs -o "size=$2" tmpfs "$1" 2> mount.err || skip "no tmpfs: $(cat mount.err)"
}

# make_image DIRECTORY SIZE KIND OPTION...: makes a file system of that kind in a file, and mounts
# it
make_image() {
	system_directory=$1 system_kind=$3
	need_root "mounting a file system"
	need mount "mkfs.$3"
	truncate -s "$2" "$1.image"
	shift 3
	"mkfs.$system_kind" "$@" "$system_directory.image" > mkfs.err 2>&1 ||
		fail "mkfs.$system_kind: $(cat mkfs.err)"
	mkdir "$system_directory"
	at_exit "retry unmount $system_directory || umount -l $system_directory"
	mount -t "$system_kind" -o loop "$system_directory.image" "$system_directory" 2> mount.err ||
		skip "no $system_kind on a loop device: $(cat mount.err)"
}

# make_ext4 DIRECTORY SIZE
make_ext4() {
	make_image "$1" "$2" ext4 -F -m 0
}

# loop_off FILE: detaches all loop devices from it
loop_off() {
	losetup -j "$1" | cut -d : -f 1 | while read -r system_device; do
		losetup -d "$system_device"
	done
	[ -z "$(losetup -j "$1")" ]
}

# make_loop FILE: attaches a loop device to it, and sets loop
make_loop() {
	need_root "a loop device"
	need losetup
	at_exit "retry loop_off $1"
	# shellcheck disable=SC2034 # for the script
	loop=$(losetup -f --show "$1" 2> loop.err) || skip "no loop device: $(cat loop.err)"
}

# lose DIRECTORY: shuts down the ext4 there, as if its disk were pulled out: each call that needs it
# returns EIO, and what was not written yet is lost
lose() {
	python3 - "$1" << 'END' || skip "this ext4 cannot be shut down"
import fcntl, os, struct, sys

EXT4_IOC_SHUTDOWN = 0x8004587d          # _IOR('X', 125, u32): include/uapi/linux/ext4.h
NO_LOG_FLUSH = 2

directory = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECTORY)
try:
    fcntl.ioctl(directory, EXT4_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
except OSError as e:
    sys.exit(str(e))
END
}

# ranges FILE: prints the missing ranges that a program reported, without the program's name
ranges() {
	sed -n 's/^n[a-z]*: missing: /missing: /p' "$1" | sed 's/ in total;.*/ in total/'
}

# expect_joined CORE MEMBER...: together they contain all of it
expect_joined() {
	system_core=$1
	shift
	expect_status 0 njoin -q --overwrite-dumps -o joined "$@"
	expect_err ""
	same joined "$system_core"
	rm joined
}

# expect_incomplete CORE MEMBER...: after an nsplit with status 3 that wrote err: every member is
# closed and readable, nsplit and njoin report the same missing ranges, these are zeros in the copy,
# and everything else is correct
expect_incomplete() {
	system_core=$1
	shift
	ranges err > nsplit.missing
	[ -s nsplit.missing ] || fail "nsplit names nothing that is missing: $(cat err)"
	for system_member; do
		[ -b "$system_member" ] || closed "$system_member"
	done
	expect_status 3 njoin --info "$@"
	expect_status 1 njoin -q -v --verify "$@"
	ranges err > njoin.missing
	same nsplit.missing njoin.missing
	if grep -v '^njoin: missing: \|: member [0-9]* of [0-9]*, ' err > njoin.more; then
		fail "njoin --verify finds more than holes: $(cat njoin.more)"
	fi
	expect_status 3 njoin -q -v --overwrite-dumps --salvage -o joined "$@"
	python3 -B "$srcdir/tests/system/holes.py" "$system_core" joined err ||
		fail "njoin --salvage: $(cat err)"
	rm joined
}

# expect_warnings LINE...: what the last nsplit printed, in any order, without the missing ranges
# and the amount that was kept
expect_warnings() {
	grep -v '^nsplit: missing: ' err | sed 's/[0-9.]* [KM]iB kept/SOME kept/; s/saved: .*;/saved: PAGES;/' | sort > warnings.got
	printf '%s\n' "$@" | sort > warnings.want
	cmp -s warnings.got warnings.want || fail "expected from nsplit: $(cat warnings.want)
and says: $(cat err)"
}
