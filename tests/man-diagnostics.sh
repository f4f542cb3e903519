#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each message that DIAGNOSTICS of a manual page quotes is one of its program, and is quoted once
# (man-diagnostics.py has the rule).
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
long_test

check() {
	python3 "$srcdir/tests/man-diagnostics.py" "$1"
}

# reports LINE: the check reports exactly this error in the changed tree, which is then restored
reports() {
	! check tree > reported || fail "not noticed: $1"
	[ "$(cat reported)" = "$1" ] || fail "$(cat reported)"
	fresh_tree
}

fresh_tree() {
	rm -rf tree
	mkdir tree
	cp -R "$srcdir/src" "$srcdir/fakevmcore" "$srcdir/kdump" "$srcdir/man" tree
	chmod -R u+w tree
}

# quote PAGE LINE: adds an entry to DIAGNOSTICS of the page
quote() {
	sed -i "s/^\.SH DIAGNOSTICS\$/&\n.TP\n$2/" "tree/man/$1"
	line=$(($(grep -n '^\.SH DIAGNOSTICS$' "tree/man/$1" | cut -d : -f 1) + 2))
}

check "$srcdir" || fail 'manual pages quote what is not a message'

# A message counts if its program prints it, and its conversions and choices are quoted.
fresh_tree
cat > tree/src/cmd/nsplit/new.c <<-'END'
	/* message("not this"); */
	message("%s: has %" PRIu64 " "
		"new words, %s", name, n, is ? "one" : "two");
END
quote nsplit.1 '.I FILE\\fR: has \\fIN\\fR new words, two'
check tree || fail 'a message was not found'
quote njoin.1 '.I FILE\\fR: has \\fIN\\fR new words, two'
reports "man/njoin.1:$line: '*: has * new words, two' is not a message of njoin"

quote njoin.1 '.I FILE\\fR: is blue'
reports "man/njoin.1:$line: '*: is blue' is not a message of njoin"

printf '/* message("not this"); */\n' > tree/src/cmd/nsplit/new.c
quote nsplit.1 'not this'
reports "man/nsplit.1:$line: 'not this' is not a message of nsplit"

# A line with nothing but a conversion passes on another message, and cannot stand for all.
printf 'message("%%s", e.text);\n' > tree/src/cmd/nsplit/new.c
quote nsplit.1 '.I WHY'
reports "man/nsplit.1:$line: '*' is not a message of nsplit"

# The messages of a script that the program runs.
# shellcheck disable=SC2016 # a script
printf 'say "drill: $1 has new words"\n' >> tree/kdump/common/nsplit-drill
quote nsplit-check.1 'drill: \\fIFILE\\fR has new words'
check tree || fail 'a message of a script was not found'
quote njoin.1 'drill: \\fIFILE\\fR has new words'
reports "man/njoin.1:$line: 'drill: * has new words' is not a message of njoin"

mkdir tree/src/other
printf 'error_set(e, STATUS_SYSTEM, "words");\n' > tree/src/other/new.c
reports 'src/other/new.c: not in PRINTED_BY'

quote nsplit-bench.1 '\\fIWHY\\fR; the benchmark needs all outputs'
check tree > reported && fail 'a duplicate entry was not noticed'
grep -q "^man/nsplit-bench.1:[0-9]*: '\*; the benchmark needs all outputs' is there more than once" reported || fail "$(cat reported)"
