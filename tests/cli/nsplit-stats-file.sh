#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The statistics are not written to the source or to an output.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 100000 core
cp core kept
ln core link

expect_status 2 nsplit -q core a --stats=core
expect_err "nsplit: --stats=core: is the source"
expect_status 2 nsplit -q core a --stats=link
expect_err "nsplit: --stats=link: is the source"
same core kept
expect_status 2 nsplit -q core a b --stats=./b
expect_err "nsplit: --stats=./b: is an output"
absent a b
expect_status 0 nsplit -q core a --stats=figures
[ -s figures ] || fail "no statistics"
