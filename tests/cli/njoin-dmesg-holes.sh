#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# From a log with holes, --dmesg writes what exists, reports what is missing, and ends with status
# 3.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

make_core log

# The memory begins at byte 8192, and in it the text at page 16: 8192 + 65536 + 8.
nsplit -q --raw --stripe --chunksize=4K ring 'm{0..65}'
njoin --dmesg 'm{0..65}' > whole
[ "$(wc -l < whole)" -eq 100 ] || fail "the whole log: $(cat whole)"

# A missing page that the log does not need; there is no message.
rm m60
expect_status 0 njoin --dmesg -q m[0-9] m[0-9][0-9]
expect_err ""
same out whole

# The second page of the text is missing: of the blocks of 48 bytes, 85 end in the first page.
mv m19 away
expect_status 3 njoin --dmesg m[0-9] m[0-9][0-9]
expect_err "njoin: kernel log: 15 records could not be read: kernel address 0xffffffff80111000: byte 77824 is not in any member
njoin: member 19 of 66 (numbered 0 to 65) is missing
njoin: member 60 of 66 (numbered 0 to 65) is missing"
head -n 85 whole > want
same out want
expect_status 3 njoin --dmesg -o log m[0-9] m[0-9][0-9]
same log want
mv away m19

# The same record damaged: treated like a hole, with a message of its own.
printf X | dd of=m18 bs=1 seek=5000 conv=notrunc 2> /dev/null
expect_status 3 njoin --dmesg m[0-9] m[0-9][0-9]
grep -q '^njoin: kernel log: [0-9]* records could not be read: .*: m18: damaged at byte ' err ||
	fail "a damaged record: $(cat err)"

# Without the pages that lead to the log, nothing is written.
rm m2
expect_status 1 njoin --dmesg -o new m[0-9] m[0-9][0-9]
expect_err "njoin: kernel log: kernel address 0xffffffff80100000: byte 8192 is not in any member
njoin: member 2 of 66 (numbered 0 to 65) is missing
njoin: member 60 of 66 (numbered 0 to 65) is missing"
rm m0
expect_status 1 njoin --dmesg -o new m[0-9] m[0-9][0-9]
expect_err "njoin: byte 0 is not in any member
njoin: member 0 of 66 (numbered 0 to 65) is missing
njoin: member 2 of 66 (numbered 0 to 65) is missing
njoin: member 60 of 66 (numbered 0 to 65) is missing"
absent new
