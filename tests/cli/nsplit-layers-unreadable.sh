#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit and njoin count unreadable pages of a capture with layers in the same way, also where the source has
# memory twice: the kernel image of kinds is in the memory around it, too.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject nsplit
need python3
[ -x "$builddir/tests/unit/make_kinds_core" ] || skip "make_kinds_core was not built: it needs check"
"$builddir/tests/unit/make_kinds_core" > made 2>&1 || fail "$(cat made)"

# captured PAGES SECOND RULE...: captures with RULEs, and expects reports of PAGES unreadable pages and
# SECOND bytes in second places
captured() {
	pages=$1 second=$2
	shift 2
	for threads in -j3 --serial; do
		for level in 31 0; do
			expect_status 3 injected "$*" nsplit -q $threads -d $level --stats=stats kinds a b
			expect_status 3 njoin --info --json a b
			python3 -B - "$pages" "$second" << 'END' || fail "$*: $(cat stats out)"
import json, sys
pages, second = map(int, sys.argv[1:])
stats, info = json.load(open("stats")), json.load(open("out"))
assert stats["unreadable_bytes"] == 4096 * pages, stats["unreadable_bytes"]
assert stats["missing_bytes"] == 0, stats["missing_bytes"]
assert stats.get("second_place_bytes", second) == second, stats  # not with -d 0
assert info["unreadable_blocks"] == pages and not info["missing"], info
END
			# What could be read in one place is there.
			expect_status 3 njoin -q --zero-left-out -o joined a b
			python3 -B - "$pages" << 'END' || fail "$*: what was joined differs"
import sys
source, joined = open("kinds", "rb").read(), open("joined", "rb").read()
lost = [at for at in range(16785408, 16785408 + 65536, 4096)
        if joined[at:at + 4096] != source[at:at + 4096]]
lost += [at for at in range(34086912, 34152448, 4096) if joined[at:at + 4096] != source[at:at + 4096]]
assert len(lost) <= int(sys.argv[1]), lost
END
			rm a b joined
		done
	done
}

# Elsewhere in the kernel's memory.
captured 2 65536 pread:kinds:@8192-16384:EIO
# In one of both places: it is not the second place of anything then.
captured 1 0 pread:kinds:@16789504-16793600:EIO
captured 1 0 pread:kinds:@34091008-34095104:EIO
# In both.
captured 2 0 pread:kinds:@16789504-16793600:EIO pread:kinds:@34091008-34095104:EIO
