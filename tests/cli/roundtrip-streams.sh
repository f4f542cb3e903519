#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The source or the copy is a stream, or all is: identical all the same.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 5000123 core

# joined COMMAND STATUS: what just ran gave the file copy
joined() {
	[ "$2" -eq 0 ] || fail "$1: status $2: $(cat err)"
	same copy core
	rm -f copy
}

for engine in --serial -j1 -j2 -j16; do
	threads=$engine
	[ $engine != --serial ] || threads=-j1

	nsplit -q -c $engine core - 2> err | njoin -q "$threads" -o copy -
	joined "member to standard output, copy to a file" $?
	nsplit -q -c $engine core - 2> err | njoin -q "$threads" -o - - > copy
	joined "member to standard output, copy likewise" $?
	nsplit -q -c $engine - - < core 2> err | njoin -q "$threads" -o copy -
	joined "source from standard input" $?
	nsplit -q -c $engine - - < core 2> err | njoin -q "$threads" --verify - ||
		fail "verify: status $?"

	rm -f a b c
	nsplit -q -c $engine - a b c < core
	njoin -q "$threads" -o copy a b c 2> err
	joined "source from standard input, to files" $?
	njoin -q "$threads" -o - c a b > copy 2> err
	joined "copy to standard output" $?
	njoin -q "$threads" -o - c a b 2> err | cmp - core || fail "copy to a pipe"

	rm -f a b c
	nsplit -q -r $engine - a b c < core
	njoin -q "$threads" -o copy a b c 2> err
	joined "source from standard input, raw" $?

	# A source that comes in pieces.
	{ head -c 5000 core; sleep 0.1; tail -c +5001 core | dd bs=4321 2> dd.err; } |
		nsplit -q -c $engine - - | cat | njoin -q "$threads" -o copy -
	joined "a slow source" $?
done

# Nothing at all.
: > core
nsplit -q -c - - < /dev/null | njoin -q -o copy -
joined "an empty source" $?
