#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Who may read a mount: by default, only the user who mounts it; with --mode and --group, also others.
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
access -o allow_other --group=12345 -- 440 550 12345 reads reads EACCES
access -o allow_other --group=12345 --mode=0400 -- 400 500 12345 reads EACCES EACCES
access -o allow_other --mode=0440 --group=54321 -- 440 550 54321 reads EACCES reads
access -o auto_unmount,allow_other --mode=444 -- 444 555 "$own" reads reads reads
access -o allow_other --mode=0404 --group=12345 -- 404 505 12345 reads EACCES reads

# A group by its name.
read -r line < /etc/group
name=${line%%:*}
number=$(printf '%s\n' "$line" | cut -d : -f 3)
expect_status 0 nsplit-mount -o allow_other "--group=$name" a b mnt
[ "$(stat -c %g mnt/vmcore)" = "$number" ] || fail "$name: $(stat -c %g mnt/vmcore)"
