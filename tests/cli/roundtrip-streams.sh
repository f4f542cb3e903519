#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The source, the copy, or everything is a stream; the result is identical.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 5000123 core

# copied WHAT STATUS: the last commands ended with STATUS 0 and made the file copy; no part of a
# pipeline failed
copied() {
	[ "$2" -eq 0 ] || fail "$1: status $2: $(cat err)"
	pipes_ended_well
	same copy core
	rm -f copy
}

for engine in --serial -j1 -j2 -j16; do
	threads=$engine
	[ $engine != --serial ] || threads=-j1
	status=0

	in_pipe nsplit -q -c $engine core - 2> err | njoin -q "$threads" -o copy - || status=$?
	copied "member to standard output, copy to a file" $status
	in_pipe nsplit -q -c $engine core - 2> err | njoin -q "$threads" -o - - > copy || status=$?
	copied "member to standard output, copy likewise" $status
	in_pipe nsplit -q -c $engine - - < core 2> err | njoin -q "$threads" -o copy - || status=$?
	copied "source from standard input" $status
	in_pipe nsplit -q -c $engine - - < core 2> err | njoin -q "$threads" --verify - || status=$?
	[ $status -eq 0 ] || fail "verify: status $status"
	pipes_ended_well

	rm -f a b c
	nsplit -q -c $engine - a b c < core
	njoin -q "$threads" -o copy a b c 2> err || status=$?
	copied "source from standard input, to files" $status
	njoin -q "$threads" -o - c a b > copy 2> err || status=$?
	copied "copy to standard output" $status
	in_pipe njoin -q "$threads" -o - c a b 2> err | cmp - core || fail "copy to a pipe: $(cat err)"
	pipes_ended_well

	rm -f a b c
	nsplit -q -r $engine - a b c < core
	njoin -q "$threads" -o copy a b c 2> err || status=$?
	copied "source from standard input, raw" $status

	# A source that arrives in small parts.
	{ head -c 5000 core; sleep 0.1; tail -c +5001 core | dd bs=4321 2> dd.err; } |
		in_pipe nsplit -q -c $engine - - | cat | njoin -q "$threads" -o copy - || status=$?
	copied "a slow source" $status
done

# An empty source, about which nsplit warns.
: > core
status=0
{ nsplit -q -c - - < /dev/null 2> err || printf '%s' $? > first; } | njoin -q -o copy - || status=$?
[ "$(cat first)" = 3 ] || fail "an empty source: status $(cat first): $(cat err)"
copied "an empty source" $status
