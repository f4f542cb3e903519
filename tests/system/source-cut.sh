#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A source that becomes shorter during the capture: the part that is gone is reported as unreadable.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

need python3

# cut SIZE OPTION...: truncates a source of 8 MiB to SIZE during the capture, which is stopped in
# the middle since nobody reads the pipe
cut() {
	length=$1
	shift
	rm -f pipe a core
	mkfakevmcore -s 8M -p random core
	cp core whole
	mkfifo pipe
	nsplit -q --stripe --chunksize=256K "$@" core a pipe 2> err &
	nsplit=$!
	kill_at_exit $nsplit
	exec 3< pipe
	wait_for at_least 270000 a
	truncate -s "$length" core
	cat <&3 > piped
	exec 3<&-
	expect_end 3 $nsplit "$*"
	closed a piped
	# The page in which it was cut is lost completely.
	lost=$((length / 4096 * 4096))
	grep -qx "nsplit: unreadable: bytes $lost to .* (core: ends early)" err || fail "$(cat err)"
	grep -qx 'nsplit: part of the source could not be read' err || fail "$(cat err)"
	if grep -v '^nsplit: unreadable: \|^nsplit: part of the source could not' err; then
		fail "unexpected messages"
	fi
	expect_status 3 njoin -q --overwrite-dumps -o joined a piped
	python3 -B "$srcdir/tests/system/holes.py" whole joined err "$lost" || fail "njoin: $(cat err)"
}

for options in --serial -j4 '-j4 --mmap=always -b 16K'; do
	# shellcheck disable=SC2086 # a list
	cut 6000000 $options
done
