#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit-mount --help and --version print on standard output; options.sh compares --help with the
# manual.
# shellcheck source=tests/cli/mount-lib.sh
. "${srcdir:?}/tests/cli/mount-lib.sh"
need_program

help_fits nsplit-mount
head -n 1 help | grep -qx 'Usage: nsplit-mount \[OPTION\]\.\.\. MEMBER\.\.\. MOUNTPOINT' ||
	fail "--help begins: $(head -n 1 help)"
help_shows '      --salvage'
[ "$(wc -l < out)" -gt "$(wc -l < help)" ] || fail "--help=all is no longer than --help"

expect_status 0 nsplit-mount --version
expect_err ""
grep -qx 'nsplit-mount (nsplit) [0-9][0-9.]*' out || fail "--version says: $(cat out)"
cp out version
expect_status 0 nsplit-mount -V
same out version
