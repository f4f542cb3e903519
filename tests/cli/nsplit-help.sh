#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --help and --version print on standard output; options.sh compares --help with the manual.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

expect_status 0 nsplit --help
expect_err ""
head -n 1 out | grep -qx 'Usage: nsplit \[OPTION\]\.\.\. SOURCE OUTPUT\.\.\.' ||
	fail "--help begins: $(head -n 1 out)"
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fail "--help has lines of more than 80 columns"
# With a prompt, it fits a terminal of 24 lines.
[ "$(wc -l < out)" -le 23 ] || fail "--help has $(wc -l < out) lines"
grep -q "'man nsplit'" out || fail "--help does not name the manual page"
grep -q '^Examples:' out || fail "--help has no examples"
cp out help
expect_status 0 nsplit --help=all
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fail "--help=all has lines of more than 80 columns"
[ "$(wc -l < out)" -gt "$(wc -l < help)" ] || fail "--help=all is no longer than --help"
expect_status 0 nsplit -h
same out help

expect_status 0 nsplit --version
expect_err ""
grep -qx 'nsplit [0-9][0-9.]*' out || fail "--version says: $(cat out)"
cp out version
expect_status 0 nsplit -V
same out version

# They take effect at any position.
expect_status 0 nsplit core new --version
absent new
