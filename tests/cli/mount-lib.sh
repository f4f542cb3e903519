# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the scripts that mount begin with: lib.sh, and nothing is left mounted, however they
# end.  They mount on directories whose names begin with mnt.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# In place of lib.sh's.
lib_clean() {
	for lib_mount in "$lib_dir"/mnt*; do
		# What is not mounted is refused, and need not be told.
		[ ! -d "$lib_mount" ] || fusermount3 -u -z "$lib_mount" 2> "$lib_dir/lib.umount" || :
	done
	cd /
	rm -rf "$lib_dir"
}

# need_program: skips where the build has left nsplit-mount out
need_program() {
	[ -x "$builddir/nsplit-mount" ] || skip "nsplit-mount was left out of this build"
}

# need_fuse: skips where nothing can be mounted by FUSE
need_fuse() {
	need_program
	need fusermount3
	[ -c /dev/fuse ] || skip "there is no /dev/fuse"
	(: <> /dev/fuse) 2> lib.fuse || skip "/dev/fuse must not be opened"
	# Who is not root asks fusermount3, which is.  CAP_SYS_ADMIN is bit 21.
	lib_caps=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
	[ "$(id -u)" -ne 0 ] || [ $((0x$lib_caps >> 21 & 1)) -eq 1 ] ||
		skip "root is not allowed to mount here"
}

# unmount DIRECTORY
unmount() {
	fusermount3 -u "$1" || fail "$1 cannot be unmounted"
}

# until_mounted PID FILE: waits for a file of a mount that PID is making
until_mounted() {
	until [ -e "$2" ]; do
		kill -0 "$1" 2> kill.err || fail "it ended by itself: $(cat err)"
		sleep 0.05
	done
}
