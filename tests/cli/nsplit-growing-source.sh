#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A file that grows during the capture: it is captured up to its size at the start, with a message.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 1500001 core
cp core growing
mkfifo pipe
# nsplit opens its source before its pipe, and waits there for a reader.
nsplit -q -c growing pipe 2> err &
pid=$!
wait_for has_open $pid growing
head -c 5000 core >> growing
cat pipe > member
expect_end 0 $pid
expect_err 'nsplit: growing: grew by 5000 bytes during the capture; the members do not contain them'
expect_status 0 njoin -q -o copy member
same copy core
