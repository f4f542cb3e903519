#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The sets of the catalogue are joined, refused and salvaged as the table in its README says.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
[ -x "$builddir/tests/vectors/cook" ] || skip "the program that makes the sets requires the library check"
mkdir sets
"$builddir/tests/vectors/cook" sets < "$srcdir/tests/vectors/recipes.txt" > cook.log ||
	fail "$(cat cook.log)"
python3 -B "$srcdir/tests/vectors/vectors.py" "$srcdir/tests/vectors/README" sets
