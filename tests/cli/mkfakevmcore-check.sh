#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --check reports where a file differs, is too short, or is too long.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 3000001 -p zero core

# One byte changed: in the headers, in the second MiB, the last byte.
for offset in 16 1500000 3000000; do
	cp core bad
	printf x | dd of=bad bs=1 seek="$offset" conv=notrunc 2> dd.err || fail "$(cat dd.err)"
	old=00
	[ "$offset" -ne 16 ] || old=04
	expect_status 1 mkfakevmcore -s 3000001 -p zero --check bad
	expect_err "mkfakevmcore: bad: differs at offset $offset: 0x78 instead of 0x$old"
	expect_status 1 mkfakevmcore -s 3000001 -p zero --check - < bad
	expect_err "mkfakevmcore: standard input: differs at offset $offset: 0x78 instead of 0x$old"
done

for length in 0 5000 1048576 3000000; do
	head -c "$length" core > part
	expect_status 1 mkfakevmcore -s 3000001 -p zero --check part
	expect_err "mkfakevmcore: part: too short, ends at offset $length"
done

cp core long
printf '\0' >> long
expect_status 1 mkfakevmcore -s 3000001 -p zero --check long
expect_err "mkfakevmcore: long: too long, continues at offset 3000001"

# The size is part of the headers, so a wrong size is detected there.
expect_status 1 mkfakevmcore -s 3000000 -p zero --check core
expect_err "mkfakevmcore: core: differs at offset 208: 0xc1 instead of 0xc0"

# A pipe returns less than requested.
{ head -c 1234 core; sleep 0.1; tail -c +1235 core; } |
	mkfakevmcore -s 3000001 -p zero --check - || fail "a slow pipe does not check"

expect_status 1 mkfakevmcore --check nowhere
expect_err "mkfakevmcore: nowhere: No such file or directory"
expect_status 1 mkfakevmcore --check .
expect_err "mkfakevmcore: .: Is a directory"
