#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each message is quoted once under DIAGNOSTICS of its manual page, and nothing else is
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
	cp -R "$srcdir/src" "$srcdir/fakevmcore" "$srcdir/man" tree
	chmod -R u+w tree
}

check "$srcdir" || fail 'messages and manual pages differ'

# The check must notice each kind of error.
fresh_tree
cat > tree/src/cmd/nsplit_new.c <<-'END'
	/* message("not this"); */
	message("%s: has %" PRIu64 " "
		"new words", name, n);
END
reports "src/cmd/nsplit_new.c:2: '%s: has %u new words' is not in DIAGNOSTICS of man/nsplit.1"

printf 'message("it is %%s", is ? "one" : "two");\n' > tree/src/set/new.c
sed -i 's/^\.SH DIAGNOSTICS$/&\n.TP\nit is one/' tree/man/njoin.1
reports "src/set/new.c:1: 'it is %s' is not in DIAGNOSTICS of man/njoin.1"

printf 'error_set(e, STATUS_SYSTEM, words);\n' > tree/src/set/new.c
reports 'src/set/new.c:1: the format is not a literal'

mkdir tree/src/other
printf 'error_set(e, STATUS_SYSTEM, "words");\n' > tree/src/other/new.c
reports 'src/other/new.c:1: words: not in PRINTED_BY'

sed -i 's/^\.SH DIAGNOSTICS$/&\n.TP\n.I FILE\\fR: is blue/' tree/man/njoin.1
line=$(grep -n 'is blue' tree/man/njoin.1 | cut -d : -f 1)
reports "man/njoin.1:$line: '*: is blue' is not a message of any source"

sed -i 's/^no MEMBER given$/&\n.TQ\n&/' tree/man/njoin.1
check tree > reported && fail 'a duplicate entry was not noticed'
grep -q "'no MEMBER given' is in man/njoin.1 more than once" reported || fail "$(cat reported)"
