#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members that do not belong together are refused: the same file under any name, the same member number, and members of
# another capture with the same UUID.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 500000 core
nsplit -q -c --chunksize=64K core a b
ln a hard
ln -s b soft
cp b copy
mkdir d

# says STATUS TEXT MEMBER...
says() {
	status=$1 text=$2
	shift 2
	expect_status "$status" njoin -q -o d/new "$@"
	expect_err "njoin: $text"
	[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"
}

says 2 "a: was given twice" a a
says 2 "a: was given twice" a b a
says 2 "./a: is the same file as a" a b ./a
says 2 "hard: is the same file as a" a b hard
says 2 "soft: is the same file as b" a b soft
says 1 "copy: is member 1 of the set, and so is b" a b copy

# capture OUTPUT...: always of the same source, with the same UUID; only the tag or the time differs
capture() {
	nsplit -q -c --stripe --serial --chunksize=64K --uuid=01234567-89ab-4cde-8f01-23456789abcd core "$@"
}

capture e f
capture g h
expect_status 1 njoin -q -o d/new e h
grep -qxE "njoin: h: (belongs to a different capture than e with the same UUID \(different: capture tag\)|was captured at .*, but e at .*: two captures with the same UUID); give members of one capture" err || fail "$(cat err)"
expect_status 3 njoin -q --salvage -o d/new e h f
same d/new core
