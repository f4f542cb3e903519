#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Without --salvage, njoin stops at damage: it reports file and offset, ends with status 1, and
# leaves nothing.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 500000 -p random core
nsplit -q --raw --chunksize=64K --stripe core a b
nsplit -q --raw -j1 --chunksize=64K core one
size=$(wc -c < one)
mkdir d

# bad OFFSET TEXT: the message for the member one with a changed byte
bad() {
	cp one bad
	printf x | dd of=bad bs=1 seek="$1" conv=notrunc 2> dd.err || fail "$(cat dd.err)"
	for threads in 1 4; do
		expect_status 1 njoin -q -j$threads -o d/new bad
		expect_err "njoin: bad: $2"
		[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"
	done
}

# A record of 64 KiB in stored blocks is 69632 bytes long.
second=$((4096 + 69632))
bad 100 "damaged at byte 0: superblock"
bad $((second + 25)) "damaged at byte $second: record"
bad $((second + 200)) "damaged at byte $second: record of bytes 65536 to 131071 of the source"
bad $((second + 60000)) "damaged at byte $second: record of bytes 65536 to 131071 of the source"
bad $((size - 8192)) "damaged at byte $((size - 8192)): index segment; use --salvage to read what is intact"
bad $((size - 4000)) "damaged at byte $((size - 4096)): footer; use --salvage to read what is intact"
bad $((size - 4096)) "has no footer at byte $((size - 4096)): the capture did not finish, or the member was cut short; use --salvage to read what is intact"

# The same from a pipe, where the index comes last.
cp one bad
printf x | dd of=bad bs=1 seek=$((second + 200)) conv=notrunc 2> dd.err
expect_status 1 njoin -q -o d/new - < bad
expect_err "njoin: standard input: damaged at byte $second: record of bytes 65536 to 131071 of the source"
printf x | dd of=bad bs=1 seek=$((second + 25)) conv=notrunc 2> dd.err
expect_status 1 njoin -q -o d/new - < bad
expect_err "njoin: standard input: damaged at byte $second: record"
head -c $((size - 4096)) one | expect_status 1 njoin -q -o d/new -
expect_err "njoin: standard input: cut short: it ends at byte $((size - 4096)) or shortly after, without a footer"
head -c $((second - 5)) one | expect_status 1 njoin -q -o d/new -
expect_err "njoin: standard input: cut short: it ends in the record at byte 4096"
[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"

# One of two members; an existing output stays as it was.
printf x | dd of=b bs=1 seek=5000 conv=notrunc 2> dd.err
echo precious > d/old
expect_status 1 njoin -q --overwrite-dumps -o d/old a b
expect_err "njoin: b: damaged at byte 4096: record of bytes 65536 to 131071 of the source"
[ "$(ls -A d)" = old ] || fail "something is left: $(ls -A d)"
[ "$(cat d/old)" = precious ] || fail "the file that existed was changed"
