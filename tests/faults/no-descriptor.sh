#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# No descriptor is available to sync the directory of a member: the member is valid nevertheless.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject nsplit

mkfakevmcore -s 1M core
mkdir d
rm log
expect_status 0 injected open:d:1-:EMFILE nsplit -q -c core d/m0
expect_err ''
grep -q '^open d EMFILE' log || fail "nothing failed: $(cat log)"
expect_status 0 njoin -q --overwrite-dumps -o copy d/m0
same core copy
