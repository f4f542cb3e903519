#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit-mount --dump-level and --exclude: vmcore.kdump without some pages, vmcore with all of them.
# shellcheck source=tests/cli/mount-lib.sh
. "${srcdir:?}/tests/cli/mount-lib.sh"
need_fuse
need python3

make_core kinds
nsplit -q -c --stripe --chunksize=64K kinds a b
nsplit -q doubted c
mkdir mnt

# has CORE LEVEL WORD...: vmcore.kdump has all pages but those of these classes
has() {
	core=$1
	shift
	python3 -B "$srcdir/tests/cli/kdump-level.py" "$core" class mnt/vmcore.kdump "$@" > told 2>&1 ||
		fail "level $1: $(cat told)"
	same mnt/vmcore "$core"
	unmount mnt
}

user="user 1124 pages (4.4 MiB)"
free="free 1036 pages (4.0 MiB)"

expect_status 0 nsplit-mount -d 31 a b mnt
expect_err "nsplit-mount: left out: cache 150 pages (600.0 KiB), private 10 pages (40.0 KiB), $user, $free"
has kinds 30 cache private user free
expect_status 0 nsplit-mount -q --dump-level=16 --exclude=user,zero a b mnt
expect_err ""
has kinds 24 user free
expect_status 0 nsplit-mount -d 1 a b mnt
expect_err ""
has kinds 0

# A class that is not believed.
expect_status 0 nsplit-mount -j 1 --exclude=free,user c mnt
sed 's/\(: pages of class [a-z]* are kept: \).*/\1REASON/' err > told
printf '%s\n' "nsplit-mount: pages of class user are kept: REASON" "nsplit-mount: left out: $free" > want
same told want
has doubted 16 free

expect_usage nsplit-mount "-d: '32' is not a dump level, which is a number from 0 to 31: the sum of 1 (zero), \
2 (cache), 4 (private), 8 (user) and 16 (free)" -d 32 a b mnt
expect_usage nsplit-mount "--exclude: unknown class of pages 'all'; the classes are zero, cache, private, user and free" \
	--exclude=all a b mnt
