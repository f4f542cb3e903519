#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The example configuration file: all of its settings are commented out, and each is valid.
# options.sh checks that it has all keys.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

example=$srcdir/doc/nsplit.conf
echo data > core

! grep -v -e '^#' -e '^$' "$example" || fail "a line is not a comment"
# Directories of the test instead of those of the example.
mkdir disk1 disk2 disk3
sed -n 's/^#\([a-z-]* = \)/\1/p' "$example" | sed "s|/mnt/|$PWD/|; s|/var/crash|$PWD|" > lines
[ -s lines ] || fail "no line to try"
# A build without nettle refuses the key.
nsplit --no-config --dry-run --digest core new > out 2> err || sed -i '/^digest/d' lines

try() {
	cp "$1" conf
	expect_status 0 nsplit -n --config=conf core new
	if grep -q -e ^dump-level -e ^exclude conf; then
		expect_err "nsplit: warning: nothing is left out: unsupported source: not an ELF file"
	elif grep -q -e ^size-limit -e ^keep-free -e ^time-limit conf; then
		expect_err "nsplit: warning: the most valuable pages are not captured first: unsupported source: not an ELF file"
	else
		expect_err ""
	fi
}
while read -r line; do
	printf '%s\n' "$line" > line
	try line
done < lines
# And all of them together.
try lines
