# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a script with real parts begins with: file systems, devices and cgroups of the
# kernel's own, made small or broken on purpose.  All goes away when the script ends,
# however it ends, and the programs that still run go first.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
long_test

parts_undo=		# commands, the last part's first
parts_running=		# process ids

# A part is registered before it is made, so what is not there must do no harm here.
parts_clean() {
	trap '' HUP INT TERM
	exec 2> /dev/null
	for parts_pid in $parts_running; do
		kill -s KILL "$parts_pid" && wait "$parts_pid" || :
	done
	cd "$lib_dir" || :
	eval "$parts_undo"
	lib_clean
}

trap parts_clean EXIT

# undo COMMAND: in the test's directory, at the end
undo() {
	parts_undo="$1 || :
$parts_undo"
}

# running PID: one to be ended with the script
running() {
	parts_running="$parts_running $1"
}

# part_root: making parts takes root
part_root() {
	[ "$(id -u)" -eq 0 ] || skip "$1 takes root"
}

# in_time COMMAND...: until it succeeds, or for some seconds.  A nsplit that was killed is two
# processes: the second one dies of the death of the first, which alone can be waited for, and
# keeps parts in use until then.
in_time() {
	parts_tries=0
	until "$@"; do
		parts_tries=$((parts_tries + 1))
		[ $parts_tries -lt 200 ] || return 1
		sleep 0.05
	done
}

# unmount DIRECTORY: nothing is mounted there any more
unmount() {
	umount "$1" || ! mountpoint -q "$1"
}

# part_tmpfs DIRECTORY SIZE
part_tmpfs() {
	part_root "mounting a file system"
	need mount
	mkdir "$1"
	undo "in_time unmount $1 || umount -l $1"
	mount -t tmpfs -o "size=$2" tmpfs "$1" 2> mount.err || skip "no tmpfs: $(cat mount.err)"
}

# part_image DIRECTORY SIZE KIND OPTION...: a file system of that kind in a file, mounted
part_image() {
	parts_directory=$1 parts_kind=$3
	part_root "mounting a file system"
	need mount "mkfs.$3"
	truncate -s "$2" "$1.image"
	shift 3
	"mkfs.$parts_kind" "$@" "$parts_directory.image" > mkfs.err 2>&1 ||
		fail "mkfs.$parts_kind: $(cat mkfs.err)"
	mkdir "$parts_directory"
	undo "in_time unmount $parts_directory || umount -l $parts_directory"
	mount -t "$parts_kind" -o loop "$parts_directory.image" "$parts_directory" 2> mount.err ||
		skip "no $parts_kind on a loop device: $(cat mount.err)"
}

# part_ext4 DIRECTORY SIZE
part_ext4() {
	part_image "$1" "$2" ext4 -F -m 0
}

# loop_off FILE: no device on it any more
loop_off() {
	losetup -j "$1" | cut -d : -f 1 | while read -r parts_device; do
		losetup -d "$parts_device"
	done
	[ -z "$(losetup -j "$1")" ]
}

# part_loop FILE: a device on it, which is $loop
part_loop() {
	part_root "a loop device"
	need losetup
	undo "in_time loop_off $1"
	# shellcheck disable=SC2034 # for the script
	loop=$(losetup -f --show "$1" 2> loop.err) || skip "no loop device: $(cat loop.err)"
}

# lose DIRECTORY: the ext4 there is lost to all who use it, as if its disk were pulled
# out: each call that needs it gives EIO.  What was not written yet will never be.
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

# ranges FILE: what a program said to be missing, without the program's name
ranges() {
	sed -n 's/^n[a-z]*: missing: /missing: /p' "$1" | sed 's/ in all;.*/ in all/'
}

# joined CORE MEMBER...: they are all of it
joined() {
	parts_core=$1
	shift
	expect_status 0 njoin -q -f -o joined "$@"
	expect_err ""
	same joined "$parts_core"
	rm joined
}

# incomplete CORE MEMBER...: after an nsplit of status 3 that said err: every member is
# closed and readable, and what is missing is named by nsplit and njoin alike; the holes
# are zeros, and all else is there
incomplete() {
	parts_core=$1
	shift
	ranges err > nsplit.missing
	[ -s nsplit.missing ] || fail "nsplit names nothing that is missing: $(cat err)"
	for parts_member; do
		[ -b "$parts_member" ] || closed "$parts_member"
	done
	expect_status 3 njoin --info "$@"
	expect_status 1 njoin -q --verify "$@"
	ranges err > njoin.missing
	same nsplit.missing njoin.missing
	if grep -v '^njoin: missing: ' err > njoin.more; then
		fail "njoin --verify finds more than holes: $(cat njoin.more)"
	fi
	expect_status 3 njoin -q -f --salvage -o joined "$@"
	python3 -B "$srcdir/tests/parts/holes.py" "$parts_core" joined err ||
		fail "njoin --salvage: $(cat err)"
	rm joined
}

# told LINE...: what the last nsplit said, in any order, but for what is missing and how much
# was kept
told() {
	grep -v '^nsplit: missing: ' err | sed 's/[0-9.]* [KM]iB kept/SOME kept/' | sort > told.got
	printf '%s\n' "$@" | sort > told.want
	cmp -s told.got told.want || fail "nsplit should say: $(cat told.want)
and says: $(cat err)"
}
