#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# doc/files.md has one row for each file of src/, under the heading of its directory.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# names_in_table FILE: DIRECTORY/NAME for each name in the first column of its tables
names_in_table() {
	awk -F '|' '
		/^## / { directory = $1; sub(/^## /, "", directory); sub(/\/.*/, "", directory) }
		/^\| [a-z0-9_, ]* \|/ && $2 !~ /^ file $/ {
			count = split($2, names, /[ ,]+/)
			for (i = 1; i <= count; i++)
				if (names[i] != "")
					print directory "/" names[i]
		}' "$1" | sort
}

# The table of a made-up tree first.
printf '## base/: x\n\n| file | job |\n|---|---|\n| b, a | 1 |\n\n## io/: y\n\n| c_1 | 2 |\n' > table.md
names_in_table table.md > got
printf 'base/a\nbase/b\nio/c_1\n' > want
same got want

names_in_table "$srcdir/doc/files.md" > got
(cd "$srcdir/src" && find . -name '*.[ch]' | sed 's|^\./||; s|\.[ch]$||' | sort -u) > want
[ -s want ] || fail "no source file in $srcdir/src"
same got want
