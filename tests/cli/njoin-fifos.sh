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
grep -q '^njoin: p1: cut short: ' err || fail "$(cat err)"

# From the capture, without files in between.
timeout 20 nsplit -q -c --chunksize=64K core p0 p1 &
expect_status 0 timeout 20 njoin -q -j2 --overwrite-dumps -o new p0 p1
wait $! || fail "nsplit: status $?"
same new core
