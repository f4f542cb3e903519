#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A file and a pipe are joined to standard output: njoin ends, and if its status is 0, the output is
# right.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need timeout
mkfakevmcore -s 1000001 core
nsplit -q -c --stripe --chunksize=64K core a b
mkfifo pipe

# Records alternate between a and b, so they can be written in order without seeking.
for threads in 1 2 4; do
	timeout 20 cat b > pipe &
	status=0
	timeout 20 njoin -q -j$threads -o - a pipe > new 2> err || status=$?
	wait
	case $status in
	0) same new core ;;
	1 | 2) [ -s err ] || fail "status $status, and no message" ;;
	*) fail "-j$threads: status $status: $(cat err)" ;;
	esac
done

# If no member says how long the source was, it ends where its last record ends, in whichever member.
nsplit -q -c --overwrite-dumps --stripe --chunksize=64K - a b < core
truncate -s -8192 a
truncate -s -8192 b
rm new
for file in a b; do
	timeout 20 cat "$(echo ab | tr -d $file)" > pipe &
	expect_status 3 timeout 20 njoin -q --salvage -o new $file pipe
	wait
	same new core
	rm new
done
