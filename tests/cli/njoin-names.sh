#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Control characters in the names of members are not printed.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# An escape, a newline, e acute, and U+009B.
name=$(printf 'a\033[31m\nb\303\251\302\233')
shown=$(printf 'a?[31m?b\303\251??')
mkfakevmcore -s 100000 core
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
