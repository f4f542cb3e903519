#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The statistics of a dump that leaves pages out tell apart what could not be read, what changed, and
# what is missing because outputs failed.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need_inject nsplit

make_core kinds
# Where the memory begins in the file: p_offset of the second program header.  Its map is in page frame
# 8192 and the following ones (made_kernel.h).
memory=$(od -An -t u8 -j 128 -N 8 kinds | tr -d ' ')
map=$((memory + 8192 * 4096))

# figures UNREADABLE CHANGED MISSING BLOCKS: what the statistics say
figures() {
	printf '"unreadable_bytes": %s,\n"changed_bytes": %s,\n"missing_bytes": %s,\n"unreadable": %s,\n' \
		"$1" "$2" "$3" "$4" > want
	grep -E '"(unreadable(_bytes)?|changed_bytes|missing_bytes)":' stats | sed 's/^ *//; s/[^,]$/&,/' > got
	same got want
}

# Two page frames of the kernel, which layer 1 stores, and of a layer behind it.
for frame in 700 3000; do
	from=$((memory + frame * 4096))
	rm -f a
	expect_status 3 injected "pread:kinds:@$from-$((from + 8192)):EIO" \
		nsplit -q -d16 --chunksize=64K --stats=stats kinds a
	figures 8192 0 0 2
done
rm -f a
expect_status 3 injected "pread:kinds:@$from-$((from + 8192)):EIO" nsplit -q --stats=stats kinds a
figures 8192 0 0 2

# When a page of a process is read, in the last pass, the struct pages of two page cache pages become
# those of pages of the kernel.  No pass has stored these, unless it is known what they were in the first pass, which
# units of one page do not allow.
cp kinds source
struct=$(od -An -v -t x1 -j $((map + 705 * 64)) -N 64 kinds | tr -d ' \n')
{
	echo source
	printf '%s %s\n' $((map + 5300 * 64)) "$struct" $((map + 5301 * 64)) "$struct"
} > change
INJECT_CHANGE=change
export INJECT_CHANGE
rm -f a
expect_status 0 injected "pread:source:@$from-$((from + 4096)):change" \
	nsplit -q -d16 -C raw --serial --chunksize=64K --stats=stats source a
expect_err ""
figures 0 0 0 0
rm -f a
cp kinds source
expect_status 3 injected "pread:source:@$from-$((from + 4096)):change" \
	nsplit -q -d16 -C raw --serial --chunksize=4K --stats=stats source a
expect_err "nsplit: 8192 bytes are missing: pages whose use has changed during the capture, or could not be read again; njoin --verify lists them"
figures 0 8192 0 0

# An output that is full: 512 KB.
rm -f a
expect_status 3 sh -c 'ulimit -f 1000 && nsplit -q -d31 -C raw --chunksize=64K --stats=stats kinds a'
grep -q '"missing_bytes": 0,' stats && fail "nothing is missing: $(cat stats)"
grep -q '"changed_bytes": 0,' stats || fail "$(cat stats)"
grep -q '"unreadable_bytes": 0,' stats || fail "$(cat stats)"
# Nobody has stopped this capture, although it ended before all classes were known.
expect_status 1 njoin --verify a
grep -q '^njoin: missing: .* in total$' err || fail "$(cat err)"
! grep 'ended before' err || fail 'a full disk is not the end of the source'
expect_status 3 njoin --info a
! grep 'ended before' out || fail 'a full disk is not the end of the source'
