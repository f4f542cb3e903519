#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A block device that is too small keeps what it holds and gets its second footer.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"
# shellcheck source=tests/system/filling.sh
. "$srcdir/tests/system/filling.sh"

# The device does not end at a multiple of 4096 bytes.
truncate -s 1M one
truncate -s 800000 two
make_loop one
one=$loop
make_loop two
two=$loop
for direct in auto never; do
	fills "$one" "$two" "No space left on device" -j2 --direct=$direct
done
closed one

# Too small for a record, or for a member.
for size in 4096 8192 100K; do
	kept="given up"
	[ $size != 100K ] || kept="0 B kept"
	truncate -s $size tiny
	make_loop tiny
	rm -f other
	expect_status 0 nsplit -q --overwrite-dumps --stripe --chunksize=128K core "$loop" other
	expect_err "nsplit: $loop: No space left on device; $kept, continuing on 1 output"
	expect_joined core other
	retry loop_off tiny
done
