# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What every output that fills up must do.

# refill A B: removes them; a device keeps its old members, as disks do
refill() {
	for system_output in "$@" other; do
		[ -b "$system_output" ] || rm -f "$system_output"
	done
}

# fills A B WHY OPTION...: A and B are outputs that together have space for less than 2 MiB; WHY is
# the message when one is full.  The capture is striped, so each gets its share of a core of 4 MiB
# until one is full.
fills() {
	a=$1 b=$2 why=$3
	advice="free some space, add outputs, or use --fallback"
	shift 3
	need python3
	[ -e core ] || mkfakevmcore -s 4M -p random core
	set -- -q --overwrite-dumps --stripe --chunksize=128K "$@"

	# One of them as first and as last output, beside a file.
	refill "$a" "$b"
	expect_status 0 nsplit "$@" core "$a" other
	expect_warnings "nsplit: $a: $why; SOME kept, continuing on 1 output"
	[ -b "$a" ] || closed "$a"
	closed other
	expect_joined core "$a" other
	refill "$a" "$b"
	expect_status 0 nsplit "$@" core other "$b"
	expect_warnings "nsplit: $b: $why; SOME kept, continuing on 1 output"
	expect_joined core "$b" other

	# Both, and a file that takes the rest, perhaps before the second is full.
	refill "$a" "$b"
	expect_status 0 nsplit "$@" core "$a" other "$b"
	grep -q ": $why; .* kept, continuing on 2 outputs\$" err || fail "no warning"
	if grep -v ": $why; .* kept, continuing on \(2 outputs\|1 output\)\$" err; then
		fail "more than one warning for each"
	fi
	expect_joined core "$a" "$b" other

	# One of them alone, and both: a part of the source is on no output.
	refill "$a" "$b"
	expect_status 3 nsplit "$@" core "$a"
	expect_warnings "nsplit: $a: $why; SOME kept, no output is left; $advice" \
		"nsplit: saved: PAGES; no output has space left"
	expect_incomplete core "$a"
	refill "$a" "$b"
	expect_status 3 nsplit "$@" core "$a" "$b"
	# If they are full at the same time, each may report that no output is left.
	if grep -v ": $why; .* kept, \(continuing on 1 output\|no output is left; $advice\)\$" err |
		grep -vx 'nsplit: saved: .*; no output has space left' | grep -v missing; then
		fail "more than two warnings and the missing ranges: $(cat err)"
	fi
	expect_incomplete core "$a" "$b"
	refill "$a" "$b"
}
