#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --help and --version of the programs print on standard output; options.sh compares --help with the manual.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# program NAME USAGE VERSION TEXT...: how --help begins, a pattern for --version, and what --help shows
program() {
	name=$1 usage=$2 version=$3
	shift 3
	help_fits "$name"
	head -n 1 help | grep -qxF "Usage: $name [OPTION]... $usage" || fail "--help begins: $(head -n 1 help)"
	help_shows "$@"
	[ "$(wc -l < out)" -gt "$(wc -l < help)" ] || fail "--help=all is no longer than --help"
	expect_status 0 "$name" --version
	expect_err ""
	grep -qx "$version [0-9][0-9.]*" out || fail "--version says: $(cat out)"
	cp out version
	expect_status 0 "$name" -V
	same out version
}

program nsplit 'SOURCE OUTPUT...' nsplit '{now}' --check-params '--drill[=crash]' --estimate "'|"
program njoin '-o FILE MEMBER...' 'njoin (nsplit)' '      --verify' '      --salvage'
[ ! -x "$builddir/nsplit-mount" ] ||
	program nsplit-mount 'MEMBER... MOUNTPOINT' 'nsplit-mount (nsplit)' '      --salvage'

# They take effect at any position.
expect_status 0 nsplit core new --version
absent new
