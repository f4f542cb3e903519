#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Zeros take no room in a file, unless --no-sparse asks for it; the bytes are the same.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# room FILE: bytes that it takes on disk
room() {
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
	[ "$(room $copy)" -lt 1048576 ] || fail "$copy takes $(room $copy) bytes"
done
# Where a file system packs, zeros that are written may take no room either.
cat core > plain
[ "$(room full)" -ge "$(room plain)" ] || fail "full takes $(room full) bytes"

# Nothing but zeros, to the last byte; over a longer file that was there.
truncate -s 3000001 zeros
nsplit -q -c zeros z
cp core there
expect_status 0 njoin -q -f -o there z
same there zeros
[ "$(room there)" -lt 65536 ] || fail "zeros take $(room there) bytes"
