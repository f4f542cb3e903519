#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each message is quoted once in DIAGNOSTICS of its page, and nothing else is
# (man-diagnostics.py has the rule).
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
long_test

check() {
	python3 "$srcdir/tests/man-diagnostics.py" "$1"
}

# complains LINE: the house has just this wrong; then it is put right again
complains() {
	! check house > told || fail "not noticed: $1"
	[ "$(cat told)" = "$1" ] || fail "$(cat told)"
	fresh_house
}

fresh_house() {
	rm -rf house
	mkdir house
	cp -R "$srcdir/src" "$srcdir/fakevmcore" "$srcdir/man" house
	chmod -R u+w house
}

check "$srcdir" || fail 'sources and pages differ'

# What it would not notice, it would not hold.
fresh_house
cat > house/src/cmd/nsplit_new.c <<-'END'
	/* message("not this"); */
	message("%s: has %" PRIu64 " "
		"new words", name, n);
END
complains "src/cmd/nsplit_new.c:2: '%s: has %u new words' is not in DIAGNOSTICS of man/nsplit.1"

printf 'message("it is %%s", is ? "one" : "two");\n' > house/src/set/new.c
sed -i 's/^\.SH DIAGNOSTICS$/&\n.TP\nit is one/' house/man/njoin.1
complains "src/set/new.c:1: 'it is %s' is not in DIAGNOSTICS of man/njoin.1"

printf 'error_set(e, STATUS_SYSTEM, words);\n' > house/src/set/new.c
complains 'src/set/new.c:1: a format that is no literal'

mkdir house/src/room
printf 'error_set(e, STATUS_SYSTEM, "words");\n' > house/src/room/new.c
complains 'src/room/new.c:1: words: no program of SAYS'

sed -i 's/^\.SH DIAGNOSTICS$/&\n.TP\n.I FILE\\fR: is blue/' house/man/njoin.1
line=$(grep -n 'is blue' house/man/njoin.1 | cut -d : -f 1)
complains "man/njoin.1:$line: '*: is blue' is said by no source"

sed -i 's/^no MEMBER given$/&\n.TQ\n&/' house/man/njoin.1
check house > told && fail 'an entry that stands twice was not noticed'
grep -q "'no MEMBER given' is in man/njoin.1 more than once" told || fail "$(cat told)"
