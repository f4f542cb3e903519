#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin --help and --version print on standard output; options.sh compares --help with the manual.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

help_fits njoin
head -n 1 help | grep -qx 'Usage: njoin \[OPTION\]\.\.\. -o FILE MEMBER\.\.\.' ||
	fail "--help begins: $(head -n 1 help)"
help_shows '      --verify' '      --salvage'
[ "$(wc -l < out)" -gt "$(wc -l < help)" ] || fail "--help=all is no longer than --help"

expect_status 0 njoin --version
expect_err ""
grep -qx 'njoin (nsplit) [0-9][0-9.]*' out || fail "--version says: $(cat out)"
cp out version
expect_status 0 njoin -V
same out version
