#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --help=all, which is made from a program's table of options, and the manual page list the same
# options with the same letters and values; so do --help=all, nsplit.conf(5) and its example.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

programs='nsplit njoin nsplit-bench mkfakevmcore'
[ ! -x "$builddir/nsplit-mount" ] || programs="$programs nsplit-mount"

# options_of_help COMMAND...: prints "-j, --threads=N" or "-dLEVEL", one a line
options_of_help() {
	"$@" --help=all | sed -n 's/^ \{2,6\}\(-.*\)/\1/p' | sed 's/  .*//; s/,$//; s/\([^,]\) /\1/g' | separate
}

# options_of_page FILE: prints the same from the entries of OPTIONS, without markup
options_of_page() {
	sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/{/^\.T[PQ]/{n;p;};}' "$1" |
		sed 's/^\.[BIR]* *//
			s/\\f.//g
			s/\\-/-/g
			s/ "\([^"]*\)" */\1/g
			s/"//g
			s/\([^,]\) /\1/g' | grep '^-' | separate
}

# separate: prints each long option on a line of its own, with its letter
separate() {
	sed 's/, --/\n--/g; s/^\(-.\)\n/\1, /' | sort
}

# compare PAGE COMMAND...: --help=all of the command and the page have the same options
compare() {
	name=$1
	shift
	options_of_help "$@" > help
	options_of_page "$srcdir/man/$name.1" > page
	[ "$(wc -l < help)" -gt 5 ] || fail "$name: --help has no options"
	diff help page > differences || fail "$name: --help (<) and its page (>) differ:
$(cat differences)"
}

for program in $programs; do
	compare "$program" "$program"
done
compare nsplit-makedumpfile nsplit --as-makedumpfile

# The keys of nsplit.conf: nsplit accepts them, and its page and the example list them.
options_of_help nsplit | sed 's/^-., //; s/^--//; s/\[*=.*//' > names
printf 'output\ndrill-remove\n' >> names
: > core
while read -r name; do
	printf '%s =\n' "$name" > conf
	nsplit -n --config=conf core new > out 2>&1 || [ $? -eq 2 ] || fail "$name: $(cat out)"
	grep -q 'unknown key' out || echo "$name"
done < names | sort > keys
[ "$(wc -l < keys)" -gt 10 ] || fail "few keys: $(cat keys)"
sed -n '/^\.SH KEYS/,/^\.SH FILES/{/^\.T[PQ]/{n;p;};}' "$srcdir/man/nsplit.conf.5" |
	sed 's/\\//g; s/^\.BR* //; s/ "*, "* */\n/g; s/f[BIR]//g' | sort > keys.page
same keys keys.page
sed -n 's/^#\([a-z-]*\) = .*/\1/p' "$srcdir/doc/nsplit.conf" | sort -u > keys.example
same keys keys.example
