# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of readers begin with: a core, and what is made of it.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
python3 -B "$srcdir/tests/readers/core.py" core

# The pages that it has.
core_pages=480

# Those that sets are made with.
# shellcheck disable=SC2034
codecs='raw lzo snappy lz4 lz4hc zstd zlib'
compare=$builddir/tests/readers/compare

# need_compare: skips the test where it was not built
need_compare() {
	[ -x "$compare" ] || skip "libkdumpfile was not there when this was configured"
}

# all_the_same FILE...: they have all pages of the core, as they are there
all_the_same() {
	expect_status 0 "$compare" core "$@"
	expect_err ""
	expect_out "$core_pages the same, 0 differ, 0 only in the core, 0 only in the file"
}
