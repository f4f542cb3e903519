#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# During a capture, nsplit allocates no memory: the kernel provides none from the first record on,
# and with every codec the copy is complete, or lacks only what cannot be read.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
long_test

chunk=32768
limit=pwrite:m0:2:memory-limit
bad_from=786432 bad_to=790528

# The allocator can still use memory that it has.  These settings make it keep little: one heap
# instead of a large one for each thread, no reserve, and large blocks from the kernel.
MALLOC_ARENA_MAX=1 MALLOC_TOP_PAD_=0 MALLOC_MMAP_THRESHOLD_=32768
export MALLOC_ARENA_MAX MALLOC_TOP_PAD_ MALLOC_MMAP_THRESHOLD_

if grep -q '__[at]san_init' "$builddir/nsplit"; then
	skip 'a sanitizer needs memory of its own'
fi
need_inject nsplit

# limited STATUS RULES OPTION...: captures core under the memory limit of RULES
limited() {
	want=$1 rules=$2
	shift 2
	rm -f log m0 m1 copy
	got=0
	# --stripe, so that the first record of m0 comes before most of what is read.
	injected "$rules" timeout -s KILL 60 \
		nsplit -q --stripe --chunksize=$chunk "$@" m0 m1 < core > out 2> err || got=$?
	[ "$got" -eq "$want" ] ||
		fail "INJECT='$rules' nsplit $*: status $got and not $want; it says: $(cat err)"
	grep -q ' memory-limit' log || fail "$*: the limit was never set"
}

# whole OPTION...: the memory limit is the only fault
whole() {
	limited 0 "$limit" "$@"
	[ ! -s err ] || fail "$*: it says: $(cat err)"
	njoin -q -o copy m0 m1
	same core copy
}

# holed RULES OPTION...: a page cannot be read after the memory limit is set
holed() {
	rules=$1
	shift
	limited 3 "$rules" "$@"
	expect_status 3 njoin -q -o copy m0 m1
	expect_err "njoin: unreadable when captured: bytes $bad_from to $((bad_to - 1))"
	same holed copy
}

mkfakevmcore --size=1M core
cp core holed
dd if=/dev/zero of=holed bs=4096 seek=$((bad_from / 4096)) count=1 conv=notrunc 2> /dev/null

list_codecs
codecs=$(cat codecs)
have_codec lz4hc && codecs="$codecs lz4hc:12"
have_codec zstd && codecs="$codecs zstd:19"
unread=pread:core:@$bad_from-$bad_to:EIO
unmapped="mmap:core:@$bad_from-$bad_to:bus $unread"
for codec in $codecs; do
	for threads in -j4 --serial; do
		whole -C "$codec" "$threads" core
		whole -C "$codec" "$threads" -
		whole -C "$codec" "$threads" -b 64K --chunksize=128K core
		whole -C "$codec" "$threads" --mmap=always core
		holed "$limit $unread" -C "$codec" "$threads" core
		holed "$limit $unmapped" -C "$codec" "$threads" --mmap=always core
		# Enough for the windows of all four threads, and not much more.
		holed "$limit=$((4 * chunk)) $unmapped" -C "$codec" "$threads" \
			--mmap=always core
	done
done
