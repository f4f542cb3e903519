#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# -f overwrites a file completely.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 20000 core
head -c 1000000 /dev/zero | tr '\0' x > old
ln -s old link
uuid=123e4567-e89b-42d3-a456-426614174000
SOURCE_DATE_EPOCH=1000000000
export SOURCE_DATE_EPOCH

expect_status 0 nsplit -q -j1 --uuid=$uuid core fresh
expect_status 0 nsplit -q -j1 --uuid=$uuid -f core old
same fresh old
cp core other
head -c 1000 other > core
expect_status 0 nsplit -q -j1 --uuid=$uuid --overwrite-dumps core link
[ -h link ] || fail "the symbolic link was replaced"
expect_status 0 nsplit -q -j1 --uuid=$uuid --overwrite-dumps core fresh
same fresh old
# It does no harm if the file does not exist.
expect_status 0 nsplit -q -j1 --uuid=$uuid -f core new
same fresh new
