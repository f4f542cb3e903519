#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The findings of --check-params: nsplit-check(1) lists each name of the source and of the script that it calls, with its
# severity, and no other one.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# A severity may depend on other findings: findings_set_severity() changes it.
{
	find "$srcdir/src/cmd/nsplit" -name '*.c' -exec cat {} + | tr '\n' ' ' |
		grep -o 'FOUND_[A-Z]*[,:][^"]*"[a-z]\{1,\}\(-[a-z]\{1,\}\)*"' | sed 's/FOUND_\([A-Z]*\).*"\(.*\)"/\2 \1/' | tr 'A-Z' 'a-z'
	sed -n 's/.*\<finding \([a-z]\{1,\}\) \([a-z-]\{1,\}\)\([ \\].*\)\{0,1\}$/\2 \1/p' "$srcdir/kdump/common/nsplit-check-system"
} | sort -u > names
sed -n '/^\.SH FINDINGS/,/^\.SH JSON/s/^\.BR \([^ ]*\) " (\([a-z]*\))"$/\1 \2/p' "$srcdir/man/nsplit-check.1" |
	sed 's/\\//g' > page
[ "$(wc -l < names)" -gt 50 ] || fail "few names: $(cat names)"
sort page > want
same names want
[ -z "$(cut -d ' ' -f 1 page | sort | uniq -d)" ] || fail "twice: $(cut -d ' ' -f 1 page | sort | uniq -d)"
