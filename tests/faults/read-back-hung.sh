#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# When a source is a stream, an output that fills up reads the records that it removes back into
# memory.  The capture ends even if another output hangs and holds memory.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject nsplit

mkfakevmcore -s 1M -p random core

# The smallest limit leaves one chunk; the test needs two.
expect_status 2 nsplit -j1 --chunksize=64K --mem-limit=1 -n - a b c < core
least=$(sed -n 's/.*need at least \([0-9]*\) bytes$/\1/p' err)
limit=$((least + 70000))
nsplit -j1 --chunksize=64K --mem-limit=$limit -n - a b c < core > plan
grep -q ' = 2 chunks ' plan || fail "not two chunks: $(cat plan)"

# After the superblock and one record, a is full.
for _ in 1 2; do
	rm -f log a b c copy
	dd if=core bs=64k 2> dd.err |
		expect_status 0 injected 'pwrite:b:2-:hang pwrite:a:3-:ENOSPC' \
		timeout -s KILL 30 nsplit -q -j1 --chunksize=64K --mem-limit=$limit --sink-timeout=1 - a b c
	if [ -e a ]; then
		expect_status 0 njoin -q -o copy a c
	else
		expect_status 0 njoin -q -o copy c
	fi
	same core copy
done
