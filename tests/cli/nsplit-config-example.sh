#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The example of a configuration: nothing in it counts as it is, each of its lines would, and
# all keys are there.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

example=$srcdir/doc/nsplit.conf
echo data > core

! grep -v -e '^#' -e '^$' "$example" || fail "a line of it is no comment"
# Where the example has its directories.
mkdir disk1 disk2 disk3
sed -n 's/^#\([a-z-]* = \)/\1/p' "$example" | sed "s|/mnt/|$PWD/|; s|/var/crash|$PWD|" > lines
[ -s lines ] || fail "no line to try"

try() {
	cp "$1" conf
	expect_status 0 nsplit -n --config=conf core new
	expect_err ""
}
while read -r line; do
	printf '%s\n' "$line" > line
	try line
done < lines
# As well as all together.
try lines

# Those of the manual, which are told of under KEYS.
sed -n '/^\.SH KEYS/,/^\.SH FILES/p' "$srcdir/man/nsplit.conf.5" | tr -d '\\' |
	sed -n '/^\.TP/{n;s/^\.BR* //p;}' | sed 's/ "*, "* */\n/g' | sort > keys.man
sed 's/ =.*//' lines | sort -u > keys.example
same keys.man keys.example
# Each of them is known: only its value is wrong, or names a file.
while read -r key; do
	printf '%s =\n' "$key" > conf
	status=0
	nsplit -n --config=conf core new > out 2>&1 || status=$?
	# Not the one of a crash, which says nothing of keys either.
	[ $status -eq 0 ] || [ $status -eq 2 ] || fail "$key: status $status: $(cat out)"
	! grep 'unknown key' out || fail "the manual tells of $key"
done < keys.man
