#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A capture that leaves pages out maps the source at most twice as often as it has chunks, which a capture
# of everything maps once.  In a capture kernel, a mapping takes longer than to copy a page.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need_inject nsplit

make_core kinds
most=$(($(wc -c < kinds) / 524288))

# refused FIRST: prints how many mappings are refused, if all from the FIRST on are; log has them, and all reads
refused() {
	rm -f log
	expect_status 0 injected "mmap:kinds:$1-:EAGAIN pread:kinds:1-:slow=0" nsplit -q -d 31 -j1 --mmap=always kinds null:
	grep -c '^mmap kinds ' log
}

number=$(refused $((most + 1))) || :
[ "$number" = 0 ] || fail "the source is mapped $((most + number)) times, and at most $most are enough"
# The rule works: what is refused is read.
number=$(refused 1) || :
[ "$number" -gt 0 ] || fail "no mapping was refused"
# Only what was asked for: the first page of a piece that cannot be mapped may be poisoned.
# What is not mapped of a chunk is read in a few parts.
reads=$(grep -c '^pread kinds ' log)
[ "$reads" -le $((number + number / 8)) ] || fail "$number refused mappings lead to $reads reads"
