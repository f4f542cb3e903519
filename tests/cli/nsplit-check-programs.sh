#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --check-params reports programs of commands that do not exist, and no others.
# Much here is for other shells.
# shellcheck disable=SC2016
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

head -c 5000 "$srcdir/COPYING" > core

# lacks PROGRAMS COMMAND: these programs are missing, and nothing else is reported
lacks() {
	: > want
	shown=$(printf %s "$2" | tr '\n' '?')
	for program in $1; do
		echo "nsplit: |$shown: the program $program is not installed, or not in a directory of PATH" >> want
	done
	status=0
	[ ! -s want ] || status=1
	expect_status $status nsplit --check-params core "|$2"
	cmp -s want err || fail "$2: $(cat err)"
}

lacks '' 'cat > made'
lacks no-such-a 'no-such-a -3 > made'
lacks ./no-such-a './no-such-a > made'
lacks /no/such/a '/no/such/a'
lacks 'no-such-a no-such-b' 'no-such-a | no-such-b > made'
lacks 'no-such-a no-such-b' 'A="a | b" no-such-a "c | d" 2>&1 | no-such-b'
lacks 'no-such-a no-such-b' 'no-such-a "e;" \| f; no-such-b & cat && cat'
lacks no-such-b '"no-such-a" x | no-such-b'
lacks no-such-a 'true && no-such-a > made'
lacks no-such-a 'true && no-such-a | cat; # end'
lacks no-such-a 'true &&
no-such-a | cat;
'
# If && has another command behind its list, what it runs may be missing.
lacks '' '[ -x /no/such/a ] && /no/such/a; cat > made'
lacks '' '[ -x /no/such/a ] && /no/such/a | cat && cat
cat > made'
lacks '' '[ -x /no/such/a ] && /no/such/a & cat > made'
lacks no-such-b 'no-such-b && no-such-a; cat > made'
# What may not run, or runs elsewhere.
lacks '' 'env LC_ALL=C cat "$(no-such-a)"'
lacks '' 'cat `no-such-a`'
lacks '' 'cat > made # | no-such-a'
lacks '' 'cat "|no-such-a" '\''|no-such-b'\'
lacks '' 'if false; then no-such-a; fi'
lacks '' 'no-such-a || cat'
lacks '' 'command -v no-such-a > /dev/null || cat'
lacks '' '(no-such-a)'
lacks '' 'f() { cat; }; f'
lacks '' 'PATH=/no/such:$PATH no-such-a'
lacks '' 'PATH=/no/such; export PATH; no-such-a'
lacks '' 'cd / && no-such-a'
lacks '' '. ./no-such-a; no-such-b'
lacks '' '2> log cat'
absent made log

# A filter, and what -v says.
expect_status 1 nsplit --check-params --filter='no-such-a > "$FILE"' core new
expect_err 'nsplit: --filter: the program no-such-a is not installed, or not in a directory of PATH'
expect_status 1 nsplit --check-params -v core '|cat | no-such-a'
grep -E '\|cat|space|[0-9] ok' err > told
mv told err
expect_err "nsplit: ok: |cat | no-such-a: the program cat exists
nsplit: problem: |cat | no-such-a: the program no-such-a is not installed, or not in a directory of PATH
nsplit: not checked: space: that of some outputs is unknown
nsplit: 5 ok, 1 problem, 0 notes, 2 not checked"
absent new
