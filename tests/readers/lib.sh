# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The beginning of the tests of readers: makes a core, and other forms of it.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
python3 -B "$srcdir/tests/readers/core.py" core

# The number of its pages.
core_pages=480

# The codecs of the sets.
# shellcheck disable=SC2034
codecs='raw lzo lzohc snappy lz4 lz4hc zstd zlib'
compare=$builddir/tests/readers/compare

# need_compare: skips the test if compare was not built
need_compare() {
	[ -x "$compare" ] || skip "configure did not find libkdumpfile"
}

# all_the_same FILE...: they contain all pages of the core, unchanged
all_the_same() {
	expect_status 0 "$compare" core "$@"
	expect_err ""
	expect_out "$core_pages the same, 0 differ, 0 only in the core, 0 only in the file"
}
