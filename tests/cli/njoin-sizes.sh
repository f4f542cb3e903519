#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members of one set that disagree about the length of the source are refused, in any order, and
# from a pipe too.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

uuid=00000000-0000-4000-8000-000000000001
mkfakevmcore -s 200000 short
mkfakevmcore -s 400000 long
nsplit -q --uuid=$uuid --stripe --chunksize=64K short s0 s1
nsplit -q --uuid=$uuid --stripe --chunksize=64K long l0 l1

expect_status 1 njoin -q -o copy l1 s0
expect_status 1 njoin -q -o copy s0 l1
# Also if the shorter one lacks no range.  These captures are reproducible, so nothing else
# distinguishes them.
for size in 131072 196608; do
	rm -f core
	mkfakevmcore -s $size core
	SOURCE_DATE_EPOCH=0 nsplit -q --uuid=$uuid --stripe --chunksize=64K core m$size.0 m$size.1
done
differ='with the same UUID (different: size of the source); give members of one capture'
expect_status 1 njoin -q -o copy m196608.1 m131072.0
expect_err "njoin: m131072.0: belongs to a different capture than m196608.1 $differ"
expect_status 1 njoin -q -o copy m131072.0 m196608.1
expect_err "njoin: m196608.1: belongs to a different capture than m131072.0 $differ"
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
