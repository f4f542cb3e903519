#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A signal ends njoin --format=kdump while it writes the data before the pages, and no file is left.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
mkfakevmcore --size=8M core
# The second range of memory is at an address where each bitmap takes a gigabyte of zeros.
python3 -c '
import struct
with open("core", "r+b") as file:
    file.seek(64 + 2 * 56 + 24)
    file.write(struct.pack("<Q", 1 << 45))
'
nsplit -q core m
njoin -q --no-sparse --format=kdump -o out m 2> err &
joining=$!
begun() {
	ls out.* > begun 2>&1
}
wait_for begun
kill -TERM $joining
expect_end 143 $joining
for left in out*; do
	[ ! -e "$left" ] || fail "$left was left behind"
done
