#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A tmpfs that fills up keeps what it holds.
# shellcheck source=tests/parts/lib.sh
. "${srcdir:?}/tests/parts/lib.sh"
# shellcheck source=tests/parts/filling.sh
. "$srcdir/tests/parts/filling.sh"

part_tmpfs small 1500k
for engine in --serial -j4; do
	fills small/a small/b "No space left on device" $engine
done
