#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --check-params reports a command whose program does not exist.
# Much here is for other shells.
# shellcheck disable=SC2016
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

head -c 5000 "$srcdir/COPYING" > core

# lacks PROGRAM COMMAND: this program (or none, if empty) is missing, and nothing else is reported
lacks() {
	status=0
	[ -z "$1" ] || status=1
	expect_status $status nsplit --check-params core "|$2"
	expect_err "${1:+nsplit: |$2: the program $1 is not installed, or not in a directory of PATH}"
}

lacks '' 'cat > made'
lacks no-such-a 'no-such-a -3 > made'
lacks ./no-such-a './no-such-a > made'
lacks /no/such/a '/no/such/a'
lacks no-such-a '  no-such-a | cat'
lacks no-such-a 'no-such-a&cat && cat'
lacks no-such-a 'no-such-a;cat'
lacks no-such-a 'no-such-a "e;" \| f'
# Only the first word.
lacks '' 'cat | no-such-a'
lacks '' 'true && no-such-a > made'
lacks '' '[ -x /no/such/a ] && /no/such/a; cat > made'
lacks '' 'if false; then no-such-a; fi'
lacks '' '. ./no-such-a; no-such-b'
# What may be something else, or has a substitute.
lacks '' '"no-such-a" x'
lacks '' 'A=b no-such-a'
lacks '' 'PATH=/no/such:$PATH no-such-a'
lacks '' '$(no-such-a)'
lacks '' '`no-such-a`'
lacks '' '# no-such-a'
lacks '' '(no-such-a)'
lacks '' '{ no-such-a; }'
lacks '' '! no-such-a'
lacks '' 'f() { cat; }; f'
lacks '' '2> log cat > made'
lacks '' 'no-such-a || cat > made'
absent made log

# A filter, and what -v says.
expect_status 1 nsplit --check-params --filter='no-such-a > "$FILE"' core new
expect_err 'nsplit: --filter: the program no-such-a is not installed, or not in a directory of PATH'
expect_status 0 nsplit --check-params -v core '|cat > made' '|no-such-a'
grep -E '(ok|warning): [|]|space|[0-9] ok' err > told
mv told err
expect_err "nsplit: ok: |cat > made: the program cat exists
nsplit: warning: |no-such-a: the program no-such-a is not installed, or not in a directory of PATH
nsplit: not checked: space: that of some outputs is unknown
nsplit: 5 ok, 0 problems, 1 warning, 0 notes, 3 not checked"
absent new
