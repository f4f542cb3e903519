#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A tmpfs that fills up keeps what it holds.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"
# shellcheck source=tests/system/filling.sh
. "$srcdir/tests/system/filling.sh"

make_tmpfs small 1500k
# With more threads, more chunks wait for the second file, and the first one can take all space
# before the second has a record: a file without records is removed.
for engine in --serial -j2; do
	fills small/a small/b "No space left on device" $engine
done
