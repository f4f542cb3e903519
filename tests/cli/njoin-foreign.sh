#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A member of another set is refused, even of the same source; --salvage ignores it.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 500000 core
nsplit -q -c --chunksize=64K core a b
nsplit -q -c --chunksize=64K core x y
mkdir d

expect_status 1 njoin -q -o d/new a y
expect_err "njoin: y: belongs to a different set than a"
expect_status 1 njoin -q -o d/new x y b
expect_err "njoin: b: belongs to a different set than x"
expect_status 1 njoin -q --verify a b x
expect_err "njoin: x: belongs to a different set than a"
[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"

expect_status 3 njoin -q --salvage -o d/new a x b
expect_err "njoin: x: belongs to a different set than a"
same d/new core
