#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A parent that closed the standard descriptors does not get its messages into a member.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 300000 core
nsplit -c --direct=never core a nowhere/b 0<&- 1>&- 2>&- || fail "status $?"
expect_status 0 njoin -q -o copy a
same copy core
