#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Pages that cannot be read, in a dump that leaves pages out: those that are left out do not matter.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need_inject njoin

make_core kinds
# Where the memory begins in the file: p_offset of the second program header.
memory=$(od -An -t u8 -j 128 -N 8 kinds | tr -d ' ')
# The hypervisor has taken page frames 5500 to 5503 away (made_kernel.h); the next one is the kernel's.
[ "$(sed -n '5504,5505p' class | tr '\n' ' ')" = "free none " ] || fail "classes are others"
mkdir d

# unreadable FRAME COUNT: sets rule to one by which they cannot be read, and makes the member a
unreadable() {
	from=$((memory + $1 * 4096))
	to=$((from + $2 * 4096))
	rule="pread:kinds:@$from-$to:EIO"
	rm -f a
	expect_status 3 injected "$rule" nsplit -q -c -j1 kinds a
}

# dump STATUS TEXT ARGUMENT...: njoin writes d/new, and TEXT on standard error
dump() {
	status=$1
	text=$2
	shift 2
	expect_status "$status" injected "$rule" njoin -q -j1 --format=kdump -o d/new "$@"
	expect_err "$text"
}

# marked YES: whether the header marks d/new as incomplete, by bit 8 of the status
marked() {
	is=$(od -An -t u1 -j 424 -N 1 d/new)
	[ $((is / 8 % 2)) -eq "$1" ] || fail "the status in the header is $is"
	rm d/new
}

unreadable 5500 2
bytes="bytes $from to $((to - 1))"
dump 3 "njoin: unreadable when captured: $bytes
njoin: missing: 2 pages of 4096 bytes" a
marked 1
dump 3 "njoin: unreadable when captured: $bytes
njoin: missing: 2 pages of 4096 bytes" -d 15 a
marked 1
dump 0 "" -d 16 a
marked 0
dump 0 "" --exclude=free --salvage a
marked 0
dump 0 "" --exclude=free kinds
marked 0
dump 3 "njoin: unreadable: $bytes
njoin: missing: 2 pages of 4096 bytes" -d 8 kinds
marked 1

# The page after those is kept, so it is missed; they are not.
unreadable 5500 5
bytes="bytes $((to - 4096)) to $((to - 1))"
dump 3 "njoin: unreadable when captured: $bytes
njoin: missing: 1 page of 4096 bytes" -d 31 a
mv d/new d/set
dump 3 "njoin: unreadable when captured: $bytes
njoin: missing: 1 page of 4096 bytes" -d 31 --salvage a
marked 1
dump 3 "njoin: unreadable: $bytes
njoin: missing: 1 page of 4096 bytes" -d 31 kinds
same d/new d/set
marked 1

