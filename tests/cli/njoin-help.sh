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
cp out help
expect_status 0 njoin -h
same out help

expect_status 0 njoin --version
expect_err ""
grep -qx 'njoin (nsplit) [0-9][0-9.]*' out || fail "--version says: $(cat out)"
cp out version
expect_status 0 njoin -V
same out version
