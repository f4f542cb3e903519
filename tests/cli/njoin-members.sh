#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members are identified by their contents: in any order, under any name, moved, with braces.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 700001 core
nsplit -q -c --chunksize=64K core 'm{0..4}'

# joins MEMBER...
joins() {
	rm -f new
	expect_status 0 njoin -q -o new "$@"
	expect_err ""
	expect_out ""
	same new core
}

joins m0 m1 m2 m3 m4
joins m4 m2 m0 m1 m3
joins 'm{0..4}'
joins 'm<4..0>'
joins m0 'm{3..4}' 'm{1..2}'
mkdir x y
mv m0 x/first
mv m1 'y/with a blank'
mv m2 m1
ln -s m3 link
joins m1 link m4 'y/with a blank' x/first
# Copies are equivalent.
cp m4 copy
rm m4
joins copy x/first 'y/with a blank' m1 m3

# Control characters in the names of members are not printed.
# An escape, a newline, e acute, and U+009B.
name=$(printf 'a\033[31m\nb\303\251\302\233')
shown=$(printf 'a?[31m?b\303\251??')
nsplit -q core "$name"

expect_status 0 njoin --info "$name"
grep '^member' out > told
grep -q "^member 0: $(printf '%s' "$shown" | sed 's/[?[]/[&]/g'), [0-9]* bytes" told ||
	fail "--info: $(cat told)"

expect_status 0 njoin --info --json "$name"
grep '"name"' out > told
printf '      "name": "a\\u001b[31m\\u000ab\303\251\\u009b",\n' > want
same told want

expect_status 0 njoin -q --verify "$name" "$name."
expect_err "njoin: $shown.: No such file or directory; continuing without it"
