#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A missing member is reported by its number, and its data as ranges.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 600000 core
nsplit -q -c --chunksize=64K --stripe core a b c
mkdir d

# Chunk k of 65536 bytes is in member k mod 3; there are 10, the last one short.
b_holes="njoin: member 1 of 3 (numbered 0 to 2) is missing
njoin: missing: bytes 65536 to 131071 (64.0 KiB)
njoin: missing: bytes 262144 to 327679 (64.0 KiB)
njoin: missing: bytes 458752 to 524287 (64.0 KiB)"
expect_status 1 njoin -q -o d/new a c
expect_err "$b_holes
njoin: missing: 192.0 KiB in total; nothing was written; use --salvage to write what is available"
[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"
expect_status 1 njoin -q --verify a c
expect_err "$b_holes
njoin: missing: 192.0 KiB in total"

expect_status 1 njoin -q -o d/new c
expect_err "njoin: member 0 of 3 (numbered 0 to 2) is missing
njoin: member 1 of 3 (numbered 0 to 2) is missing
njoin: missing: bytes 0 to 131071 (128.0 KiB)
njoin: missing: bytes 196608 to 327679 (128.0 KiB)
njoin: missing: bytes 393216 to 524287 (128.0 KiB)
njoin: missing: bytes 589824 to 599999 (9.9 KiB)
njoin: missing: 393.9 KiB in total; nothing was written; use --salvage to write what is available"
[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"

# --salvage writes the rest, and zeros for what is missing.
expect_status 3 njoin -q --salvage -o d/new a c
expect_err "$b_holes
njoin: missing: 192.0 KiB in total"
cp core want
for chunk in 1 4 7; do
	dd if=/dev/zero of=want bs=65536 seek=$chunk count=1 conv=notrunc 2> dd.err
done
same d/new want
expect_status 3 njoin -q --salvage -o - a c
same out want

# A --range that the other members hold does not need the missing one.
expect_status 0 njoin -q -o d/part --range=131072:65536 a c
expect_err ""
dd if=core of=want bs=65536 skip=2 count=1 2> dd.err
same d/part want
expect_status 1 njoin -q -o d/more --range=131071:2 a c
expect_err "njoin: member 1 of 3 (numbered 0 to 2) is missing
njoin: missing: bytes 131071 to 131071 (1 B)
njoin: missing: 1 B in total; nothing was written; use --salvage to write what is available"
[ ! -e d/more ] || fail "a range with a hole was written"

# A member without records is not needed.
mkfakevmcore -s 60000 small
nsplit -q --stripe small s0 s1 s2
expect_status 0 njoin -q -o d/small s0
same d/small small

# Few ranges are listed, unless -v asks for all.
nsplit -q --stripe --chunksize=8K core e0 e1
expect_status 1 njoin -q --verify e1
expect_err "njoin: member 0 of 2 (numbered 0 to 1) is missing
njoin: missing: bytes 0 to 8191 (8.0 KiB)
njoin: missing: bytes 16384 to 24575 (8.0 KiB)
njoin: missing: bytes 32768 to 40959 (8.0 KiB)
njoin: missing: bytes 49152 to 57343 (8.0 KiB)
njoin: missing: bytes 65536 to 73727 (8.0 KiB)
njoin: missing: 32 more ranges, 256.0 KiB; njoin -v lists all of them
njoin: missing: 296.0 KiB in total"
expect_status 1 njoin -v --verify --progress=never e1
[ "$(grep -c '^njoin: missing: bytes ' err)" -eq 37 ] || fail "$(cat err)"
if grep 'more range' err; then
	fail "$(cat err)"
fi
