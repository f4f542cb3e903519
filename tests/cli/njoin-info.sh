#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --info describes a set, an incomplete one as well.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 300000 -p zero core
uuid=123e4567-e89b-42d3-a456-426614174000
SOURCE_DATE_EPOCH=1000000000
export SOURCE_DATE_EPOCH
nsplit -q --raw --chunksize=64K --stripe --uuid=$uuid core a b c

version=$(nsplit --version)
bytes_a=$(wc -c < a) bytes_b=$(wc -c < b) bytes_c=$(wc -c < c)
expect_status 0 njoin --info a b c
expect_err ""
sed 's/ bytes ([^)]*)/ bytes/' out > told
cat > want << END
set: $uuid, made by $version at 2001-09-09T01:46:40Z
source: core, 300000 bytes
codec: raw, blocks of 4096 bytes, chunks of 65536
member 0: a, $bytes_a bytes, 2 records
member 1: b, $bytes_b bytes, 2 records
member 2: c, $bytes_c bytes, 1 record
blocks: 72 zero, 0 same, 2 stored, 0 packed, 0 unreadable
ratio: $(awk "BEGIN { printf \"%.2f\", 300000 / ($bytes_a + $bytes_b + $bytes_c) }")
records: not checked; njoin --verify checks them
complete: yes
END
same told want
expect_status 0 njoin --info c b a
grep -qx 'complete: yes' out || fail "in another order: $(cat out)"

# A missing member.
expect_status 3 njoin --info a c
expect_err ""
grep -qx 'member 1: not given' out || fail "$(cat out)"
grep -qx 'missing: bytes 65536 to 131071 (64.0 KiB)' out || fail "$(cat out)"
grep -qx 'missing: bytes 262144 to 299999 (37.0 KiB)' out || fail "$(cat out)"
grep -qx 'complete: no' out || fail "$(cat out)"
# 65536 bytes from 65536 on, and 37856 from 262144 on, are missing.
ratio=$(awk "BEGIN { printf \"%.2f\", (300000 - 65536 - 37856) / ($bytes_a + $bytes_c) }")
grep -qx "ratio: $ratio" out || fail "ratio $ratio: $(cat out)"

grep -qx 'missing: 101.0 KiB in total' out || fail "$(cat out)"

# Half of a set: few ranges, unless -v asks for all.
nsplit -q --raw --chunksize=8K --stripe core even odd
expect_status 3 njoin --info even
[ "$(grep -c '^missing: bytes ' out)" -eq 5 ] || fail "$(cat out)"
grep '^missing: [^b]' out > told
printf '%s\n' "missing: 13 more ranges, 104.0 KiB; -v lists all of them" \
	"missing: 144.0 KiB in total" | cmp -s - told || fail "$(cat out)"
expect_status 3 njoin --info -v even
[ "$(grep -c '^missing: bytes ' out)" -eq 18 ] || fail "$(cat out)"
if grep 'more range' out; then
	fail "$(cat out)"
fi

# --info does not read the records, so it does not notice a damaged one, and says so.
cp a bad
printf x | dd of=bad bs=1 seek=4500 conv=notrunc 2> dd.err || fail "$(cat dd.err)"
expect_status 1 njoin -q --verify bad b c
expect_status 0 njoin --info bad b c
expect_err ""
grep -qx 'records: not checked; njoin --verify checks them' out || fail "$(cat out)"

# A member that was cut short: what remains is described.
truncate -s -4096 c
expect_status 3 njoin --info a b c
expect_err "njoin: c: has no footer at byte $(($(wc -c < c) - 4096)): the capture did not finish, or the member was cut short"
grep -q '^member 2: c, .*, 1 record, no footer$' out || fail "$(cat out)"
grep -qx 'blocks: .* stored, 0 packed, 0 unreadable, without members that have no footer' out ||
	fail "$(cat out)"

# A capture that was killed: the ratio is that of its records, and nothing follows them that counts.
nsplit -q --raw -c --chunksize=64K core killed
truncate -s -8192 killed
expect_status 3 njoin --info killed
grep -qx 'blocks: not counted, since no member has a footer' out || fail "$(cat out)"
cp out told
truncate -s +10M killed
expect_status 3 njoin --info killed
[ "$(grep '^ratio: ' out)" = "$(grep '^ratio: ' told)" ] || fail "$(cat out): and before: $(cat told)"
seq 2000 > text
expect_status 1 njoin --info text
expect_err "njoin: text: not a member of an nsplit set: no superblock at byte 0
njoin: no member can be read"
expect_out ""

# From a stream.
expect_status 3 njoin --info - < a
grep -q '^member 0: standard input, ' out || fail "$(cat out)"
