#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is left of an output that the capture finished without does not make the set unreadable.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject nsplit
[ -x "$builddir/tests/unit/make_kinds_core" ] ||
	skip "tests/unit/make_kinds_core was not built: it needs check"

# each_mode NOTE MEMBER...: whatever njoin does with the members, it ends with status 0 and prints
# NOTE, and what it writes is a copy of the files "joined" and "joined.kdump"
each_mode() {
	note="njoin: $1"
	shift
	for mode in --verify --info --list; do
		expect_status 0 njoin -q $mode "$@"
		expect_err "$note"
	done
	expect_status 0 njoin -q -f --zero-left-out -o again "$@"
	expect_err "$note"
	same again joined
	expect_status 0 njoin -q -f -j1 --format=kdump -o again "$@"
	expect_err "$note"
	same again joined.kdump
	expect_status 0 njoin -q -f --zero-left-out --range=0:65536 -o again "$@"
	expect_err "$note"
}

"$builddir/tests/unit/make_kinds_core" > made
: > empty
for options in '-d31 --chunksize=64K' '-c --chunksize=64K'; do
	rm -f live
	: > dead
	# The sync of this output fails, and the other one takes over.  The file existed before, so it stays.
	# shellcheck disable=SC2086 # several options
	injected "fsync:dead:1-:EIO fdatasync:dead:1-:EIO" nsplit -q -f $options kinds dead live 2> err ||
		fail "$(cat err)"
	expect_err "nsplit: dead: Input/output error; given up, continuing on 1 output
nsplit: dead: was not removed, because it existed before; it is not needed"
	njoin -q -f --zero-left-out -o joined live
	njoin -q -f -j1 --format=kdump -o joined.kdump live
	each_mode "dead: incomplete; the capture finished without it" dead live
	each_mode "dead: incomplete; the capture finished without it" live dead
	each_mode "empty: empty; the capture finished without it" empty live

	# A file with other contents may be a mistake.
	expect_status 1 njoin --verify live made
	expect_err "njoin: made: not a member of an nsplit set: no superblock at byte 0"
	# Nothing says that the capture finished without it.
	for mode in --verify '-f -o again'; do
		# shellcheck disable=SC2086 # several options
		expect_status 1 njoin -q $mode dead
		grep -q '^njoin: dead: .*; use --salvage to read what is intact$' err || fail "$(cat err)"
	done
	expect_status 1 njoin -q --verify empty
	expect_err "njoin: empty: not a member of an nsplit set: it has 0 bytes"
done

# The end of a stream is known only when it has been read.
head -c $(($(wc -c < live) - 4096)) live > cut
expect_status 1 njoin -q --verify - < cut
expect_err "njoin: standard input: cut short: it ends at byte $(wc -c < cut) or shortly after, without a footer"
mkfifo pipe
head -c 8192 dead > pipe &
expect_status 0 njoin -q -f --zero-left-out -o again pipe live
wait $!
expect_err "njoin: pipe: incomplete; the capture finished without it"
same again joined
