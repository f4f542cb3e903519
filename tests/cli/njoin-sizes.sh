#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members that say they are of one set, and do not agree on how long the source was, are
# not put together as if nothing were wrong, whichever comes first, and by a pipe too.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

uuid=00000000-0000-4000-8000-000000000001
mkfakevmcore -s 200000 short
mkfakevmcore -s 400000 long
nsplit -q --uuid=$uuid --stripe --chunksize=64K short s0 s1
nsplit -q --uuid=$uuid --stripe --chunksize=64K long l0 l1

expect_status 1 njoin -q -o copy l1 s0
expect_status 1 njoin -q -o copy s0 l1
# Nor where no range would be missing of the shorter one.
mkfakevmcore -s 131072 two
mkfakevmcore -s 196608 three
nsplit -q --uuid=$uuid --stripe --chunksize=64K two two0 two1
nsplit -q --uuid=$uuid --stripe --chunksize=64K three three0 three1
expect_status 1 njoin -q -o copy three1 two0
expect_err 'njoin: two0: says that the source had 131072 bytes, where the set has 196608'
expect_status 1 njoin -q -o copy two0 three1
expect_err 'njoin: three1: says that the source had 196608 bytes, where the set has 131072'
mkfifo pipe
for seekable in s0 l0; do
	for piped in s1 l1; do
		[ "${seekable%?}" != "${piped%?}" ] || continue
		cat $piped > pipe &
		expect_status 1 njoin -q -o copy $seekable pipe
		wait
	done
done
absent copy
