#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --salvage writes what exists, with zeros in the holes, lists these, and ends with status 3.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 500000 -p random core
nsplit -q --raw --chunksize=64K --stripe core a b
nsplit -q --raw -j1 --chunksize=64K core one
nsplit -q --raw -j1 --chunksize=64K - - < core > unknown

# no_footer MEMBER: prints the message about it
no_footer() {
	at=$(($(wc -c < "$1") / 4096 * 4096 - 4096))
	[ $at -ge 4096 ] || at=4096
	echo "njoin: $1: has no footer at byte $at: the capture did not finish, or the member was cut short"
}

# want_holes CHUNK...: makes the core with zeros in these chunks of 64 KiB
want_holes() {
	cp core want
	for chunk; do
		dd if=/dev/zero of=want bs=65536 seek="$chunk" count=1 conv=notrunc 2> dd.err
	done
	truncate -s 500000 want
}

flip() {
	printf x | dd of="$1" bs=1 seek="$2" conv=notrunc 2> dd.err || fail "$(cat dd.err)"
}

# A record is 69632 bytes long.  Only the footer is missing, so no data is.
head -c -4096 b > bad
expect_status 3 njoin -q --salvage -o new1 a bad
expect_err "$(no_footer bad)"
same new1 core

# The index is missing too, and the end of the last record (chunk 7, which has 41248 bytes).
head -c $((4096 + 3 * 69632 + 30000)) b > bad
expect_status 3 njoin -q --salvage -o new2 a bad
expect_err "$(no_footer bad)
njoin: missing: bytes 458752 to 499999 (40.3 KiB)
njoin: missing: 40.3 KiB in total"
want_holes 7
same new2 want

# A damaged record body; with one thread and several.
cp a bad
flip bad $((4096 + 69632 + 500))
for threads in 1 4; do
	expect_status 3 njoin -q --overwrite-dumps -j$threads --salvage -o new4 b bad
	expect_err "njoin: bad: damaged at byte 73728: record of bytes 131072 to 196607 of the source
njoin: missing: bytes 131072 to 196607 (64.0 KiB)
njoin: missing: 64.0 KiB in total"
	want_holes 2
	same new4 want
done

# A damaged record header in a member without footer: the search continues after it.
head -c -8192 a > bad
flip bad $((4096 + 69632 + 50))
expect_status 3 njoin -q --salvage -o new5 b bad
expect_err "$(no_footer bad)
njoin: missing: bytes 131072 to 196607 (64.0 KiB)
njoin: missing: 64.0 KiB in total"
same new5 want

# To a stream, holes are written as zeros.
expect_status 3 njoin -q --salvage -o - b bad
same out want

# From a stream that was cut short.
head -c $((4096 + 5 * 69632 + 5)) one | expect_status 3 njoin -q --salvage -o new6 -
want_holes 5 6 7
same new6 want
grep -qx 'njoin: missing: bytes 327680 to 499999 (168.3 KiB)' err || fail "$(cat err)"
# If the length of the source is not known, the output ends with the last record.
head -c $((4096 + 5 * 69632 + 5)) unknown | expect_status 3 njoin -q --salvage -o new7 -
expect_err "njoin: standard input: has no footer at byte 348160: the capture did not finish, or the member was cut short
njoin: the capture ended before the end of the source"
head -c 327680 core > want
same new7 want
head -c $((4096 + 5 * 69632 + 5)) unknown > short
expect_status 3 njoin -q --salvage -o new7b short
grep -qx 'njoin: the capture ended before the end of the source' err || fail "$(cat err)"
same new7b want
expect_status 3 njoin --info short
grep -qx 'complete: no' out || fail "$(cat out)"

# From a stream with a damaged record.
cp one bad
flip bad $((4096 + 69632 + 50))
flip bad $((4096 + 3 * 69632 + 500))
expect_status 3 njoin -q --salvage -o new8 - < bad
want_holes 1 3
same new8 want
grep -qx 'njoin: missing: bytes 65536 to 131071 (64.0 KiB)' err || fail "$(cat err)"
grep -qx 'njoin: missing: bytes 196608 to 262143 (64.0 KiB)' err || fail "$(cat err)"

# A range without holes in a set with holes, and a complete set.
expect_status 0 njoin -q --salvage --range=0:65536 -o new9 a
expect_status 0 njoin -q --salvage -o new10 a b
expect_err ""
same new10 core
