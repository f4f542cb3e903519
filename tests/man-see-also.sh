#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The SEE ALSO sections of the manual pages.  Each names the pages of nsplit that the page mentions;
# if one page names another, the other names it, too; nsplit(1) names all of them; and each
# reference to a page of nsplit has the section in which the page is.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# Both spellings of a reference: ".BR name (1)" and "\fBname\fR(1)".
references() {
	sed -e 's/\\-/-/g' -e 's/^\.BR \([^ ]*\) (\([1-8]\)).*/\\fB\1\\fR(\2)/' "$1" |
		grep -o '\\fB[a-z][a-z0-9.-]*\\fR([1-8])' |
		sed 's/\\fB\(.*\)\\fR(\(.\))/\1 \2/' | sort -u
}

for file in "$srcdir"/man/*.[1-8]; do
	page=${file##*/}
	printf '%s %s\n' "${page%.?}" "${page##*.}"
done | sort > pages
[ -s pages ] || fail 'there are no manual pages'
cut -d ' ' -f 1 pages > names

while read -r name section; do
	sed -n '/^\.SH SEE ALSO/,$p' "$srcdir/man/$name.$section" > see
	[ -s see ] || fail "$name($section) has no SEE ALSO"
	references see > "see.$name"
	references "$srcdir/man/$name.$section" > all
	while read -r other number; do
		grep -qx "$other" names || continue
		grep -qx "$other $number" pages || fail "$name($section) refers to $other($number)"
		[ "$other" != "$name" ] || continue
		grep -qx "$other $number" "see.$name" ||
			fail "$name($section) mentions $other($number), which is not in its SEE ALSO"
	done < all
done < pages

while read -r name section; do
	while read -r other number; do
		grep -qx "$other $number" pages || continue
		grep -qx "$name $section" "see.$other" ||
			fail "$name($section) refers to $other($number), which does not refer to it"
	done < "see.$name"
	[ "$name" = nsplit ] || grep -qx "$name $section" see.nsplit ||
		fail "nsplit(1) does not refer to $name($section)"
done < pages
