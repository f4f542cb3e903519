#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin --format=kdump to two files, one on a full disk: the error names that file, and neither file
# is left.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"
need python3

python3 -B "$srcdir/tests/readers/core.py" core
nsplit -q -c --stripe --chunksize=64K core a b
mkdir d
make_tmpfs small 128k

# nothing_left WHEN
nothing_left() {
	[ -z "$(ls -A d)$(ls -A small)" ] || fail "$1: something is left: $(ls -A d small)"
}

expect_status 0 njoin -q --format=kdump -o d/0 -o d/1 a b
for part in d/0 d/1; do
	[ "$(wc -c < $part)" -gt 131072 ] || fail "$part would fit"
done
rm d/0 d/1
for salvage in "" --salvage; do
	for outputs in "-o d/0 -o small/1" "-o small/1 -o d/0"; do
		# shellcheck disable=SC2086 # options
		expect_status 1 njoin -q $salvage --format=kdump $outputs a b
		expect_err "njoin: small/1: No space left on device"
		nothing_left "$salvage $outputs"
	done
done

# Existing files stay.
echo old > d/0
expect_status 1 njoin -q --overwrite-dumps --format=kdump -o d/0 -o small/1 a b
[ "$(cat d/0)" = old ] || fail "d/0 was replaced"
[ "$(ls d)" = 0 ] || fail "something is left: $(ls d)"
[ -z "$(ls -A small)" ] || fail "something is left: $(ls -A small)"
