# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The beginning of the scripts that mount: lib.sh, and nothing is left mounted when they end, for
# whatever reason.  They mount on directories whose names begin with mnt.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# Replaces that of lib.sh.
lib_clean() {
	lib_kill
	for lib_mount in "$lib_dir"/mnt*; do
		# Unmounting a directory that is not mounted fails, which is ignored.
		[ ! -d "$lib_mount" ] || fusermount3 -u -z "$lib_mount" 2> "$lib_dir/lib.umount" || :
	done
	cd /
	rm -rf "$lib_dir"
}

# need_program: skips the test if this build has no nsplit-mount
need_program() {
	[ -x "$builddir/nsplit-mount" ] || skip "nsplit-mount was left out of this build"
}

# need_fuse: skips the test if FUSE cannot be used
need_fuse() {
	need_program
	need fusermount3
	[ -c /dev/fuse ] || skip "there is no /dev/fuse"
	(: <> /dev/fuse) 2> lib.fuse || skip "/dev/fuse cannot be opened"
	# Users other than root mount through fusermount3, which is set-user-ID root.  CAP_SYS_ADMIN
	# is bit 21.
	lib_caps=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
	[ "$(id -u)" -ne 0 ] || [ $((0x$lib_caps >> 21 & 1)) -eq 1 ] ||
		skip "root is not allowed to mount here"
}

# unmount DIRECTORY
unmount() {
	fusermount3 -u "$1" || fail "$1 cannot be unmounted"
}

# until_mounted PID FILE: waits for FILE of a mount that PID is making
until_mounted() {
	until [ -e "$2" ]; do
		kill -0 "$1" 2> kill.err || fail "it ended by itself: $(cat err)"
		sleep 0.05
	done
}
