#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A member that does not exist is ignored if the others hold everything; otherwise, its data is
# missing.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 600000 core

# The disk was missing during the capture; njoin is called with the same names.
expect_status 0 nsplit -q -c --chunksize=64K core nowhere/a b c
expect_status 0 njoin -q -o copy nowhere/a b c
expect_err "njoin: nowhere/a: No such file or directory; continuing without it"
same copy core

# The disk was there, and is missing now.
nsplit -q -c --stripe --chunksize=256K core d e f
rm e
mkdir new
expect_status 1 njoin -q -o new/copy d e f
expect_err "njoin: e: No such file or directory; continuing without it
njoin: member 1 of 3 (numbered 0 to 2) is missing
njoin: missing: bytes 262144 to 524287 (256.0 KiB)
njoin: missing: 256.0 KiB in total; nothing was written; use --salvage to write what is available"
[ -z "$(ls -A new)" ] || fail "something is left: $(ls -A new)"

expect_status 1 njoin -q -o new/copy x y
expect_err "njoin: x: No such file or directory"
