#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# After the first record nsplit needs no more memory: from then on it is not given another
# page of address space, and captures all the same, with every codec.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need prlimit
mkfakevmcore -s 3000000 -p mixed core
# Sanitizers take what they like at any time.
prlimit --as=1000000000 nsplit --version > version 2> err ||
	skip "it does not run in 1 GB of address space"
mkfifo stream
pid=

kill_nsplit() {
	[ -z "$pid" ] || kill -s KILL "$pid" 2> kill.err || :
	lib_clean
}
trap kill_nsplit EXIT

# cage THREADS: when all threads are there, and an output holds a record
cage() {
	until grep -qx "Threads:	$1" "/proc/$pid/status" &&
	      [ "$(cat m0 m1 | wc -c)" -gt 8192 ]; do
		kill -0 "$pid" || fail "it ended by itself: $(cat err)"
		sleep 0.02
	done
	size=$(sed -n 's/^VmSize:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status")
	prlimit --pid "$pid" --as=$((size * 1024)):$((size * 1024))
}

# captures CODEC THREADS OPTION...
captures() {
	codec=$1 threads=$2
	shift 2
	nsplit -q --chunksize=128K -C "$codec" "$@" --stats=stats stream m0 m1 2> err &
	pid=$!
	exec 3> stream
	head -c 400000 core >&3
	cage "$threads"
	tail -c +400001 core >&3 2> pipe.err || echo "$codec $*: it stopped reading" >&2
	exec 3>&-
	status=0
	wait "$pid" || status=$?
	pid=
	[ "$status" -eq 0 ] || fail "$codec $*: status $status: $(cat err)"
	expect_err ""
	[ -s stats ] || fail "$codec $*: no figures"
	expect_status 0 njoin -q -o copy m0 m1
	same copy core
	rm -f m0 m1 copy stats
}

nsplit --list-codecs | sed 's/ .*//' > codecs
[ -s codecs ] || fail "no codecs"
while read -r codec; do
	[ "$codec" != lz4hc ] || codec=lz4hc:12
	captures "$codec" 7 -j4 < /dev/null
	captures "$codec" 7 -j4 -b 64K < /dev/null
	captures "$codec" 1 --serial < /dev/null
done < codecs
