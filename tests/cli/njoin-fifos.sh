#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members come through several pipes at once, directly from the capture.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need timeout
mkfakevmcore -s 3000001 core
nsplit -q -c --stripe --chunksize=64K core a b c
mkfifo p0 p1 p2

# feed MEMBER PIPE: writes it, in the background
feed() {
	timeout 20 cat "$1" > "$2" &
}

for threads in 1 2 3 8; do
	feed a p0
	feed b p1
	feed c p2
	expect_status 0 timeout 20 njoin -q -j$threads --overwrite-dumps -o new p0 p1 p2
	expect_err ""
	same new core
	wait
done

# Together with files, in any order.
for threads in 1 3; do
	feed b p1
	expect_status 0 timeout 20 njoin -q -j$threads --overwrite-dumps -o new c p1 a
	same new core
	wait
done

# One pipe ends early.
head -c 100000 b > short
feed a p0
feed short p1
feed c p2
expect_status 3 timeout 20 njoin -q --salvage --overwrite-dumps -o new p0 p1 p2
wait
grep -q '^njoin: p1: has no footer at byte ' err || fail "$(cat err)"

# From the capture, without files in between.
timeout 20 nsplit -q -c --chunksize=64K core p0 p1 &
expect_status 0 timeout 20 njoin -q -j2 --overwrite-dumps -o new p0 p1
wait $! || fail "nsplit: status $?"
same new core

# More pipes than threads: njoin reads whichever pipe has data, so that it and the writers never wait for each other.
nsplit -q -r --overwrite-dumps --stripe --chunksize=64K core a b c

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

# A file and a pipe are joined to standard output, and pipes alone.
nsplit -q -c --overwrite-dumps --stripe --chunksize=64K core a b
mkfifo pipe
rm new
for threads in 1 4; do
	feed b pipe
	expect_status 0 timeout 20 njoin -q -j$threads -o - a pipe
	wait
	same out core
	feed b p0
	feed a p1
	expect_status 0 timeout 20 njoin -q -j$threads -o - p0 p1
	wait
	same out core
done

# If no member says how long the source was, it ends where its last record ends, in whichever member.
nsplit -q -c --overwrite-dumps --stripe --chunksize=64K - a b < core
truncate -s -8192 a
truncate -s -8192 b
for file in a b; do
	timeout 20 cat "$(echo ab | tr -d $file)" > pipe &
	expect_status 3 timeout 20 njoin -q --salvage -o new $file pipe
	wait
	same new core
	rm new
done
