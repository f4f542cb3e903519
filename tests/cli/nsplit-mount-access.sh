#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Who may read a mount: only the user who mounts it, and root with -o allow_other.
# shellcheck source=tests/cli/mount-lib.sh
. "${srcdir:?}/tests/cli/mount-lib.sh"
need_fuse
need python3
need_root "being other users"

mkfakevmcore -s 600000 core
nsplit -q -c core a b
mkdir mnt

# reads USER GROUP: prints whether they can read the file; root if both are 0
reads() {
	python3 - "$@" << 'END'
import errno, os, sys
user, group = int(sys.argv[1]), int(sys.argv[2])
try:
    directory = os.open('mnt', os.O_PATH | os.O_DIRECTORY)
    os.setgroups([])
    os.setgid(group)
    os.setuid(user)
    fd = os.open('vmcore', os.O_RDONLY, dir_fd=directory)
    print('reads' if os.read(fd, 4) == b'\x7fELF' else 'reads something else')
except OSError as e:
    print(errno.errorcode[e.errno])
END
}

# access OPTION...  -- MODE DIRECTORY-MODE GROUP ROOT MEMBER OTHER: mode and group of the files and
# the directory, and what root, a member of group 12345 and another user can read
access() {
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	# shellcheck disable=SC2086 # options
	expect_status 0 nsplit-mount $options a b mnt
	expect_err ""
	for name in mnt/vmcore mnt/vmcore.kdump; do
		[ "$(stat -c '%a %g' $name)" = "$2 $4" ] ||
			fail "$options: $name has $(stat -c '%a %g' $name)"
	done
	[ "$(stat -c '%a %g' mnt)" = "$3 $4" ] || fail "$options: mnt has $(stat -c '%a %g' mnt)"
	got="$(reads 0 0) $(reads 54321 12345) $(reads 54321 54321)"
	[ "$got" = "$5 $6 $7" ] || fail "$options: $got"
	unmount mnt
}

own=$(id -g)
access -- 400 500 "$own" reads EACCES EACCES
access -o allow_other -- 400 500 "$own" reads EACCES EACCES
