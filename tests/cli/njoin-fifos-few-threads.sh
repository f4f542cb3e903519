#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# More pipes than threads: njoin reads whichever pipe has data, so that it and the writers never
# wait for each other.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need timeout
mkfakevmcore -s 1000000 -p random core
nsplit -q -r --stripe --chunksize=64K core a b c
mkfifo p0 p1 p2

# one_after_the_other: writes all superblocks, and then the last member first, like a capture whose
# first disks are slow
one_after_the_other() {
	exec 3> p0
	head -c 4096 a >&3
	exec 4> p1
	head -c 4096 b >&4
	exec 5> p2
	head -c 4096 c >&5
	tail -c +4097 c >&5
	tail -c +4097 b >&4
	tail -c +4097 a >&3
}

for threads in 3 2 1; do
	(one_after_the_other) 2> writer.err &
	expect_status 0 timeout 20 njoin -q -j$threads --overwrite-dumps -o new p0 p1 p2
	wait
	same new core
done

# The same from a capture.
for threads in 2 1; do
	timeout 20 nsplit -q -r -j4 --chunksize=64K core p0 p1 p2 2> nsplit.err &
	pid=$!
	expect_status 0 timeout 20 njoin -q -j$threads --overwrite-dumps -o new p0 p1 p2
	wait $pid || fail "nsplit: status $?: $(cat nsplit.err)"
	same new core
done
