#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Like full-sizes.sh, on vfat, which many USB sticks use and which rejects direct I/O.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"
# shellcheck source=tests/system/sweep.sh
. "$srcdir/tests/system/sweep.sh"

need python3
mkfakevmcore -s 6M -p mixed mixed
make_image fat 10M vfat
sweep mixed fat 300 12 360 --chunksize=64K -j2
