#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin --help and --version print on standard output; options.sh compares --help with the manual.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

expect_status 0 njoin --help
expect_err ""
head -n 1 out | grep -qx 'Usage: njoin \[OPTION\]\.\.\. -o FILE MEMBER\.\.\.' ||
	fail "--help begins: $(head -n 1 out)"
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fail "--help has lines of more than 80 columns"
# With a prompt, it fits a terminal of 24 lines.
[ "$(wc -l < out)" -le 23 ] || fail "--help has $(wc -l < out) lines"
grep -q "'man njoin'" out || fail "--help does not name the manual page"
grep -q '^Examples:' out || fail "--help has no examples"
cp out help
expect_status 0 njoin --help=all
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fail "--help=all has lines of more than 80 columns"
[ "$(wc -l < out)" -gt "$(wc -l < help)" ] || fail "--help=all is no longer than --help"
expect_status 0 njoin -h
same out help

expect_status 0 njoin --version
expect_err ""
grep -qx 'njoin (nsplit) [0-9][0-9.]*' out || fail "--version says: $(cat out)"
cp out version
expect_status 0 njoin -V
same out version
