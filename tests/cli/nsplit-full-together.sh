#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Many outputs on one file system that fills up: each keeps what it holds and is closed.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_root "mounting a file system"
mkdir small
need mount
mount -t tmpfs -o size=10m tmpfs small 2> mount.err || skip "no tmpfs: $(cat mount.err)"
trap 'umount small || :; lib_clean' EXIT

head -c 24M /dev/urandom > core
expect_status 3 nsplit -q -r --chunksize=64K core 'small/m{0..15}'
[ "$(grep -c 'kept,\|given up' err)" -eq 16 ] || fail "not all are reported: $(cat err)"
[ "$(grep -c 'kept,' err)" -gt 1 ] || fail "none was kept: $(cat err)"
# An output is given up only if it started so late that its superblock did not fit.
sed -n 's|^nsplit: \(small/m[0-9]*\): .*given up.*|\1|p' err > given-up
while read -r late; do
	[ ! -s "$late" ] || fail "$late was given up: $(cat err)"
done < given-up
# All remaining members are closed and undamaged: only holes are reported.  A file without a record
# is removed.
expect_status 1 njoin -q --verify 'small/m{0..15}'
grep -v 'member\|in total\|continuing without it' err > njoin.missing
if grep -v '^njoin: missing: ' njoin.missing; then
	fail "more than holes: $(cat err)"
fi
