#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A search skips the holes of a file: it ends, although reading them would take hours.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 500000 -p random core
nsplit -q --raw --chunksize=64K --stripe --serial core a b

# A record of 64 KiB in stored blocks is 69632 bytes long.  The first two are at the start, the
# others between two holes.
head -c $((4096 + 2 * 69632)) a > sparse
truncate -s 7T sparse 2> err || skip "no sparse files of 15 TiB here: $(cat err)"
tail -c +$((4096 + 2 * 69632 + 1)) a | head -c -8192 >> sparse
truncate -s 15T sparse 2> err || skip "no sparse files of 15 TiB here: $(cat err)"
for order in "sparse b" "b sparse"; do
	# shellcheck disable=SC2086
	expect_status 3 njoin -q --overwrite-dumps --salvage -o new $order
	same new core
done
expect_status 3 njoin --info sparse

# The same without a superblock.
no_superblock sparse
expect_status 3 njoin -q --overwrite-dumps --salvage -o new sparse b
same new core
expect_status 3 njoin -q --overwrite-dumps --salvage -o new sparse
grep -q '^njoin: sparse: .* the records in it (4) belong to set ' err || fail "$(cat err)"
truncate -s 0 sparse
truncate -s 15T sparse
expect_status 1 njoin -q --overwrite-dumps --salvage -o new sparse
expect_err "njoin: sparse: not a member of an nsplit set: no superblock at byte 0
njoin: no member can be read"
