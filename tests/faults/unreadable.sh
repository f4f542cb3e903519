#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Of many ranges that could not be read during the capture, 20 are listed, or all with -v.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject nsplit

mkfakevmcore -s 1M core
rules=
page=1
while [ $page -le 31 ]; do
	rules="$rules pread:core:@$((page * 8192))-$((page * 8192 + 4096)):EIO"
	page=$((page + 1))
done
expect_status 3 injected "$rules" nsplit -q -c core member

# listed LINES MORE: the number of ranges, and the text after them
listed() {
	[ "$(grep -c '^njoin: unreadable when captured: bytes ' err)" -eq "$1" ] ||
		fail "not $1 lines: $(cat err)"
	grep -v '^njoin: unreadable when captured: bytes ' err > others || :
	[ "$(cat others)" = "$2" ] || fail "after them: $(cat others)"
}

expect_status 3 njoin -q --verify member
listed 20 "njoin: unreadable when captured: 11 more ranges"
expect_status 3 njoin -q -o copy member
listed 20 "njoin: unreadable when captured: 11 more ranges"
expect_status 3 njoin -q -v --verify member
listed 31 "njoin: member: member 0 of 1, 1 record"
grep -q ': bytes 8192 to 12287$' err || fail "$(cat err)"
