#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# If every output fails, the status says so, and no empty file remains.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 400000 -p random core

expect_status 1 nsplit -q core nowhere/a
expect_err "nsplit: nowhere/a: the directory nowhere does not exist; given up, no output is left
nsplit: nothing was captured: every output failed"
for engine in --serial -j1 -j4; do
	expect_status 1 nsplit -q $engine --chunksize=4K core nowhere/a nowhere/b
	grep -qx 'nsplit: nowhere/b: .*; given up, no output is left' err || fail "$(cat err)"
	grep -qx 'nsplit: nothing was captured: every output failed' err || fail "$(cat err)"
	[ ! -c /dev/full ] || expect_status 1 nsplit -q $engine --chunksize=4K core /dev/full
	# A pipe without a reader.
	{ nsplit -q $engine core - 2> err || echo $? > status; } | true
	[ "$(cat status)" = 1 ] || fail "a broken pipe: $(cat status)"
	grep -qx 'nsplit: standard output: Broken pipe; given up, no output is left' err ||
		fail "$(cat err)"
	rm status
	# Files that were created and could not be written are removed; existing ones stay.
	: > old
	{ (ulimit -f 0 && trap '' XFSZ && exec nsplit -q --overwrite-dumps $engine core a old) 2>&1 ||
		printf 'status %s\n' $?; } | cat > err
	[ "$(tail -n 1 err)" = 'status 1' ] || fail "no space at all: $(cat err)"
	grep -qx 'nsplit: nothing was captured: every output failed' err || fail "$(cat err)"
	absent a
	[ -e old ] || fail "a file that was not made here was removed"
done
