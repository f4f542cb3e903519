#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An output that cannot be opened, or fails, is reported, and the others take its share.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
mkfakevmcore -s 200000 core
size=$(wc -c < core)

expect_status 0 nsplit -q -c core a nowhere/b
expect_err "nsplit: nowhere/b: the directory nowhere does not exist; given up, continuing on 1 output"
expect_status 0 nsplit -q -c core nowhere/a b nowhere/c d
expect_err "nsplit: nowhere/a: the directory nowhere does not exist; given up, continuing on 3 outputs
nsplit: nowhere/c: the directory nowhere does not exist; given up, continuing on 2 outputs"

# If a disk is missing, its name in /dev does not become a file in memory.
expect_status 0 nsplit -q -c core a2 /dev/nsplit-no-disk
expect_err "nsplit: /dev/nsplit-no-disk: No such device; given up, continuing on 1 output"
absent /dev/nsplit-no-disk
expect_status 1 nsplit -q --overwrite-dumps core /dev/nsplit-no-disk
expect_status 1 nsplit -n -q core /dev/nsplit-no-disk

# captured N FILE...: the footers of the members add up to the whole source
captured() {
	python3 - "$@" << 'END' || fail "the members do not hold the source"
import struct, sys

held = 0
for name in sys.argv[2:]:
    footer = open(name, "rb").read()[-4096:]
    assert footer[:8] == b"nsplitFT", name
    held += struct.unpack_from("<Q", footer, 448)[0]
assert held == int(sys.argv[1]), held
END
}

captured "$size" a
captured "$size" b d

if [ -c /dev/full ]; then
	expect_status 0 nsplit -q --chunksize=4K core e /dev/full
	expect_err "nsplit: /dev/full: No space left on device; given up, continuing on 1 output"
	captured "$size" e
fi
