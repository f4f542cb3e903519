#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A tmpfs that fills up at every point of a record.  It reserves no space for the end of a member,
# which overwrites the last records.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"
# shellcheck source=tests/system/sweep.sh
. "$srcdir/tests/system/sweep.sh"

need python3
# Records of many lengths, the shortest of 4096 bytes; and many of these.
mkfakevmcore -s 6M -p mixed mixed
mkfakevmcore -s 8M -p zero zeros

make_tmpfs memory 8m
sweep mixed memory 300 12 360 --chunksize=64K --serial
sweep mixed memory 301 28 360 --chunksize=64K -j2
# An index segment is full after 1022 records, and is written then.
sweep zeros memory 4084 4 4140 --chunksize=4K -j2
