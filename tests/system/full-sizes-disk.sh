#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Like full-sizes.sh, on ext2, and on ext4 with small and large blocks, which reserve no space either.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"
# shellcheck source=tests/system/sweep.sh
. "$srcdir/tests/system/sweep.sh"

need python3
mkfakevmcore -s 6M -p mixed mixed
mkfakevmcore -s 8M -p zero zeros

make_image second 10M ext2 -F -m 0
make_image small 10M ext4 -F -m 0 -b 1024
make_image large 10M ext4 -F -m 0 -b 4096
sweep zeros second 4110 8 4170 --chunksize=4K -j2
for directory in second small large; do
	sweep mixed $directory 300 12 360 --chunksize=64K -j2
	sweep mixed $directory 301 28 360 --chunksize=64K -j2 --direct=never
done
