#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The findings of --check-params: nsplit-check(1) lists each name of the source, with its severity and in the same
# order, and each kind is used, there or in the script that it calls.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

source=$srcdir/src/cmd/nsplit
sed -n 's/^	FINDING([A-Z_]*, "\([a-z-]\{1,\}\)", \([A-Z]*\))\( \\\)\{0,1\}$/\1 \2/p' "$source/check/findings.h" | tr 'A-Z' 'a-z' > names
sed -n '/^\.SH FINDINGS/,/^\.SH JSON/s/^\.BR \([^ ]*\) " (\([a-z]*\))"$/\1 \2/p' "$srcdir/man/nsplit-check.1" |
	sed 's/\\//g' > page
[ "$(wc -l < names)" -gt 20 ] || fail "few names: $(cat names)"
same names page
[ -z "$(cut -d ' ' -f 1 names | sort | uniq -d)" ] || fail "twice: $(cut -d ' ' -f 1 names | sort | uniq -d)"
sed -n 's/^	FINDING(\([A-Z_]*\), "\([a-z-]\{1,\}\)".*/FINDING_\1 \2/p' "$source/check/findings.h" | while read -r kind name; do
	find "$source" -name '*.c' ! -name findings.c -exec cat {} + | grep -q "\<$kind\>" ||
		grep -q "finding $name\( \|\$\)" "$srcdir/kdump/common/nsplit-check-system" || fail "$kind is not used"
done
# The script uses no other name.
sed -n 's/.*\<finding \([a-z]\{1,\}-[a-z-]*\)\([ \\].*\)\{0,1\}$/\1/p' "$srcdir/kdump/common/nsplit-check-system" | sort -u > used
[ "$(wc -l < used)" -gt 20 ] || fail "few names: $(cat used)"
cut -d ' ' -f 1 names | sort > known
[ -z "$(comm -23 used known)" ] || fail "the script has other names: $(comm -23 used known)"
