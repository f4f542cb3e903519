#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --verify reads and checks everything, reports all damage, and writes nothing.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 500000 -p random core
nsplit -q --raw --chunksize=64K --stripe core a b
nsplit -q --raw -j1 --chunksize=64K core one

for threads in 1 2 8; do
	expect_status 0 njoin -q --verify -j$threads b a
	expect_err ""
	expect_out ""
done
expect_status 0 njoin -q --verify - < one
expect_status 0 njoin --verify a b
grep -q '^njoin: 488.3 KiB verified in .*; .* read from 2 members$' err || fail "$(cat err)"

# A record of 64 KiB in stored blocks is 69632 bytes long.  Changes one byte in the second record of
# b, which is chunk 3, and one in the last of a, chunk 6.
flip() {
	printf x | dd of="$1" bs=1 seek="$2" conv=notrunc 2> dd.err || fail "$(cat dd.err)"
}
flip b $((4096 + 69632 + 30000))
flip a $((4096 + 3 * 69632 + 128))
for threads in 1 2 8; do
	expect_status 1 njoin -q --verify -j$threads a b
	sort err > told
	cat > want << END
njoin: a: damaged at byte 212992: record of bytes 393216 to 458751 of the source
njoin: b: damaged at byte 73728: record of bytes 196608 to 262143 of the source
njoin: missing: 128.0 KiB in total
njoin: missing: bytes 196608 to 262143 (64.0 KiB)
njoin: missing: bytes 393216 to 458751 (64.0 KiB)
END
	same told want
done

# A record header.
cp one bad
flip bad $((4096 + 69632 + 40))
expect_status 1 njoin -q --verify bad
expect_err "njoin: bad: damaged at byte 73728: record
njoin: missing: bytes 65536 to 131071 (64.0 KiB)
njoin: missing: 64.0 KiB in total"
# The index and the footer: the records cannot be found without them.
cp one bad
flip bad $(($(wc -c < bad) - 8192 + 64))
expect_status 1 njoin -q --verify bad
expect_err "njoin: bad: damaged at byte $(($(wc -c < bad) - 8192)): index segment; use --salvage to read what is intact"
cp one bad
flip bad $(($(wc -c < bad) - 50))
expect_status 1 njoin -q --verify bad
expect_err "njoin: bad: damaged at byte $(($(wc -c < bad) - 4096)): footer; use --salvage to read what is intact"
