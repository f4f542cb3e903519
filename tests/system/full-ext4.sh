#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An ext4 that fills up keeps what it holds, with direct I/O and without.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"
# shellcheck source=tests/system/filling.sh
. "$srcdir/tests/system/filling.sh"

make_ext4 small 8M
head -c "$(($(df -k --output=avail small | tail -n 1) - 1500))K" /dev/zero > small/ballast
for direct in always never; do
	fills small/a small/b "No space left on device" -j2 --direct=$direct
done
