#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Zeros take no space in a file, except with --no-sparse; the contents are the same.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# allocated FILE: prints the bytes that it takes on disk
allocated() {
	sync "$1"
	echo $(($(stat -c '%b * %B' "$1")))
}

mkfakevmcore -s 4M -p zero core
nsplit -q -c core a b
nsplit -q -c core - > one
expect_status 0 njoin -q -o sparse a b
expect_status 0 njoin -q -o streamed - < one
expect_status 0 njoin -q --no-sparse -o full a b
for copy in sparse streamed full; do
	same $copy core
done
for copy in sparse streamed; do
	[ "$(allocated $copy)" -lt 1048576 ] || fail "$copy takes $(allocated $copy) bytes"
done
# On a file system that compresses, written zeros may take no space either.
cat core > plain
[ "$(allocated full)" -ge "$(allocated plain)" ] || fail "full takes $(allocated full) bytes"

# Only zeros, up to the last byte; over a longer file.
truncate -s 3000001 zeros
nsplit -q -c zeros z
cp core there
expect_status 0 njoin -q --overwrite-dumps -o there z
same there zeros
[ "$(allocated there)" -lt 65536 ] || fail "zeros take $(allocated there) bytes"
