#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --help and --version print on standard output; options.sh compares --help with the manual.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

help_fits nsplit
head -n 1 help | grep -qx 'Usage: nsplit \[OPTION\]\.\.\. SOURCE OUTPUT\.\.\.' ||
	fail "--help begins: $(head -n 1 help)"
help_shows '{now}' --check-params '--drill[=crash]' --estimate "'|"
[ "$(wc -l < out)" -gt "$(wc -l < help)" ] || fail "--help=all is no longer than --help"

expect_status 0 nsplit --version
expect_err ""
grep -qx 'nsplit [0-9][0-9.]*' out || fail "--version says: $(cat out)"
cp out version
expect_status 0 nsplit -V
same out version

# They take effect at any position.
expect_status 0 nsplit core new --version
absent new
