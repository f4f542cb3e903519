#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A block device with unreadable sectors: they are marked, and everything else is captured.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

need python3
need_root "a loop device"
mkfakevmcore -s 4M -p random core
cp core disk
make_loop disk
# Sectors beyond the end of the file return EIO; the last good ones end within a chunk.
truncate -s 3072000 disk
for options in --serial -j4 '-j1 -b 16K'; do
	rm -f a b
	# shellcheck disable=SC2086 # a list
	expect_status 3 nsplit -q $options --chunksize=128K "$loop" a b
	closed a b
	if grep -v "^nsplit: unreadable: bytes .* ($loop: Input/output error)\$" err |
		grep -vx 'nsplit: part of the source could not be read'; then
		fail "unexpected messages"
	fi
	expect_status 3 njoin -q --overwrite-dumps -o joined a b
	python3 -B "$srcdir/tests/system/holes.py" core joined err 3072000 ||
		fail "njoin: $(cat err)"
done
