#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --help and --version go to standard output, and say what there is.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

expect_status 0 nsplit --help
expect_err ""
head -n 1 out | grep -qx 'Usage: nsplit \[OPTION\]\.\.\. SOURCE OUTPUT\.\.\.' ||
	fail "--help begins: $(head -n 1 out)"
for option in raw lzo snappy lz4 zstd compress list-codecs threads blocksize chunksize \
	mem-limit direct mmap fallback filter also check-params config no-config no-force no-quiet no-stripe no-verbose stripe serial uuid force dry-run progress stats quiet verbose \
	help version; do
	grep -q -e "--${option}\\([^a-z]\\|$\\)" out || fail "--help does not tell of --$option"
done
[ "$(awk 'length > 90' out | wc -l)" -eq 0 ] || fail "--help has lines too long to read"
cp out help
expect_status 0 nsplit -h
same out help

expect_status 0 nsplit --version
expect_err ""
grep -qx 'nsplit [0-9][0-9.]*' out || fail "--version says: $(cat out)"
cp out version
expect_status 0 nsplit -V
same out version

# They count wherever they stand.
expect_status 0 nsplit core new --version
absent new
