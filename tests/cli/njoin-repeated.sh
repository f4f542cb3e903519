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

# says TEXT MEMBER...
says() {
	text=$1
	shift
	expect_status 1 njoin -q -o d/new "$@"
	expect_err "njoin: $text"
	[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"
}

says "a: is the same file as a" a a
says "a: is the same file as a" a b a
says "./a: is the same file as a" a b ./a
says "hard: is the same file as a" a b hard
says "soft: is the same file as b" a b soft
says "copy: is member 1 of the set, and so is b" a b copy
