#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A member without its first page is identified by its footer, with a message.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 300000 core
nsplit -q -c --stripe --chunksize=64K core a b
no_superblock b

expect_status 1 njoin -q -o new a b
expect_err "njoin: b: not a member of an nsplit set: no superblock at byte 0"
absent new
expect_status 3 njoin -q --salvage -o new a b
same new core
[ "$(wc -l < err)" -eq 1 ] || fail "expected one line, not: $(cat err)"
grep -q '^njoin: b: ' err || fail "b is not named: $(cat err)"
expect_status 3 njoin -q --salvage -o newer b a
same newer core
