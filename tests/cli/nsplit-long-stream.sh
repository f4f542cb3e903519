#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A stream does not reserve address space for a length that it may never reach.  If there is no
# memory to record where further chunks are, what came before is kept.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need prlimit
mkfakevmcore -s 3000000 core
prlimit --as=500000000 nsplit -q -j1 core whole 2> err ||
	skip "it does not run in 500 MB of address space"
prlimit --as=500000000 nsplit -q -j1 - a < core 2> err || fail "status $?: $(cat err)"
dd if=core bs=64k 2> dd.err | prlimit --as=500000000 nsplit -q -j1 - b 2> err ||
	fail "status $?: $(cat err)"
expect_status 0 njoin -q -o copy b
same copy core

long_test
children=/proc/$$/task/$$/children
[ -r "$children" ] || skip 'this kernel does not tell the children of a process'
mkfifo source
nsplit -q -c --chunksize=4K source null: 2> err &
pid=$!
exec 3> source
# The second process does the work.  It has taken all its memory when it reads.
head -c 1000000 /dev/zero >&3
child=$(cat "/proc/$pid/task/$pid/children")
prlimit --pid="${child% }" --as=1000000:1000000
# One byte a chunk is reserved for the first 256 Ki chunks, which are 1 GiB.  Then nsplit stops
# reading.
head -c 1200M /dev/zero >&3 2> head.err || true
exec 3>&-
expect_end 3 $pid
lib_expect err 'nsplit: source: out of memory for the list of its chunks; what was read before is kept; use a larger --chunksize'
