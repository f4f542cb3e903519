#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is left of an output that the capture finished without does not make the set unreadable.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject nsplit

# each_mode NOTE MEMBER...: whatever njoin does with the members, it ends with status 0 and prints
# NOTE, and what it writes is a copy of the files "joined" and "joined.kdump"
each_mode() {
	note="njoin: $1"
	shift
	for mode in --verify --info --list; do
		expect_status 0 njoin -q $mode "$@"
		expect_err "$note"
	done
	expect_status 0 njoin -q --overwrite-dumps --zero-left-out -o again "$@"
	expect_err "$note"
	same again joined
	expect_status 0 njoin -q --overwrite-dumps -j1 --format=kdump -o again "$@"
	expect_err "$note"
	same again joined.kdump
	expect_status 0 njoin -q --overwrite-dumps --zero-left-out --range=0:65536 -o again "$@"
	expect_err "$note"
}

make_core kinds
: > empty
mkfifo pipe
for options in '-d31 --chunksize=64K' '-c --chunksize=64K'; do
	rm -f live
	: > dead
	# The sync of this output fails, and the other one takes over.  The file existed before, so it stays.
	# shellcheck disable=SC2086 # several options
	injected "fsync:dead:1-:EIO fdatasync:dead:1-:EIO" nsplit -q --overwrite-dumps $options kinds dead live 2> err ||
		fail "$(cat err)"
	expect_err "nsplit: dead: Input/output error; given up, continuing on 1 output
nsplit: dead: was not removed, because it existed before; it is not needed"
	njoin -q --overwrite-dumps --zero-left-out -o joined live
	njoin -q --overwrite-dumps -j1 --format=kdump -o joined.kdump live
	end="at byte $(($(wc -c < dead) / 4096 * 4096 - 4096))"
	each_mode "dead: incomplete, without a footer $end; another member says that the capture finished" dead live
	each_mode "dead: incomplete, without a footer $end; another member says that the capture finished" live dead
	each_mode "empty: empty; another member says that the capture finished" empty live

	# A pipe that cannot be read to its end.
	cat dead > pipe &
	expect_status 0 injected read:pipe:3-:EIO njoin -q --overwrite-dumps --zero-left-out -o again pipe live
	wait $! || :
	same again joined

	# What is left may be less: the first bytes, or only the length.
	for kept in 3 2000; do
		head -c $kept dead > part
		each_mode "part: incomplete; another member says that the capture finished" part live
	done
	truncate -s 100000 zeros
	each_mode "zeros: begins with zeros; another member says that the capture finished" live zeros
	# Of another capture, it was given by mistake, in whatever order.
	nsplit -q --overwrite-dumps $options kinds other
	head -c 200000 other > part
	for members in 'part live' 'live part'; do
		# shellcheck disable=SC2086 # two members
		expect_status 1 njoin -q --verify $members
		expect_err "njoin: part: belongs to a different set than live"
	done

	# A file with other contents may be a mistake.
	expect_status 1 njoin --verify live made
	expect_err "njoin: made: not a member of an nsplit set: no superblock at byte 0"
	# Nothing says that the capture finished without it.
	for mode in --verify '--overwrite-dumps -o again'; do
		# shellcheck disable=SC2086 # several options
		expect_status 1 njoin -q $mode dead
		grep -q '^njoin: dead: .*; use --salvage to read what is intact$' err || fail "$(cat err)"
	done
	expect_status 1 njoin -q --verify empty
	expect_err "njoin: empty: not a member of an nsplit set: it has 0 bytes"
done

# A stream is read like a file, once it was copied.
head -c $(($(wc -c < live) - 4096)) live > part
expect_status 1 njoin -q --verify - < part
expect_err "njoin: standard input: has no footer at byte $(($(wc -c < part) - 4096)): the capture did not finish, or the member was cut short; use --salvage to read what is intact"
head -c 8192 dead > pipe &
expect_status 0 njoin -q --overwrite-dumps --zero-left-out -o again pipe live
wait $!
expect_err "njoin: pipe: incomplete, without a footer at byte 4096; another member says that the capture finished"
same again joined
# It may be damaged; what its records are is not in the notes.
size=$(wc -c < dead)
{ head -c $((size / 2)) dead; head -c 5000 /dev/zero; tail -c +$((size / 2 + 5001)) dead; } > torn
for mode in --verify '--overwrite-dumps -o again' '--format=kdump --overwrite-dumps -o again.kdump' --info --list; do
	cat torn > pipe &
	# shellcheck disable=SC2086 # several options
	expect_status 0 njoin -q $mode pipe live
	wait $!
	[ "$(wc -l < err)" -eq 1 ] && grep -q '^njoin: pipe: .*; another member says that the capture finished$' err ||
		fail "$mode: $(cat err)"
done
same again joined
# Damage to a member that was closed is none of that.
nsplit -q -c --chunksize=64K kinds whole
{ head -c 4096 whole; head -c 100 /dev/zero; tail -c +4197 whole; } > torn
cat torn > pipe &
expect_status 1 njoin -q --overwrite-dumps -o again pipe dead
wait $! || :
# Less than 4096 bytes behind the end are no part of the member.
{ cat live; echo more; } > longer
expect_status 0 njoin -q --overwrite-dumps -o again - < longer
expect_err ''
same again joined

# It did not, if something is missing.
mkfakevmcore -s 1000000 core
nsplit -q --stripe --chunksize=64K core a b
head -c 8192 a > pipe &
expect_status 1 njoin -q --overwrite-dumps -o again pipe b
wait $!
expect_err "njoin: pipe: has no footer at byte 4096: the capture did not finish, or the member was cut short; use --salvage to read what is intact"
