#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin's --help and --version go to standard output, and say what there is.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

expect_status 0 njoin --help
expect_err ""
head -n 1 out | grep -qx 'Usage: njoin \[OPTION\]\.\.\. -o FILE MEMBER\.\.\.' ||
	fail "--help begins: $(head -n 1 out)"
for option in output range salvage no-sparse verify info list dmesg json threads force progress \
	quiet verbose help version; do
	grep -q -e "--${option}[^a-z]" out || fail "--help does not tell of --$option"
done
[ "$(awk 'length > 90' out | wc -l)" -eq 0 ] || fail "--help has lines too long to read"
cp out help
expect_status 0 njoin -h
same out help

expect_status 0 njoin --version
expect_err ""
grep -qx 'nsplit [0-9][0-9.]*' out || fail "--version says: $(cat out)"
cp out version
expect_status 0 njoin -V
same out version
