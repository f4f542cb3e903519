#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A member given twice is refused: the same file under any name, and the same member number.
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
