#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# After SIGTERM, nsplit --format=kdump closes the dump and dies of the signal: what was captured is in it, and the
# rest is absent.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3
need_inject nsplit

make_core kinds
have_codec zlib || skip "this build has no zlib"
expect_status 0 njoin -q --format=kdump --compress=zlib -o want kinds

# stopped OUTPUT ENGINE: gets the signal in the middle of the source
stopped() {
	expect_status 143 injected 'pread:kinds:@20000000-20000001:SIGTERM pread:kinds:@20000000-40000000:slow=100' \
		nsplit -q "$2" --chunksize=64K -C zlib --format=kdump kinds "$1"
	# The shell may name the signal.
	sed '/^Terminated/d; /^nsplit: missing: bytes/d; s/saved: [1-9].*;/saved: SHARE;/; s/: [0-9.]* MiB in total; complete layers: 0/: SIZE/' err > told
	cat > expected << 'TEXT'
nsplit: Terminated: closing the dump
nsplit: saved: SHARE; ended by signal 15 (Terminated)
nsplit: missing: SIZE; njoin --verify lists the pages
nsplit: the dump is incomplete; what is in it can be read as it is
TEXT
	same told expected
	[ "$1" != - ] || cp out new
	python3 -B "$srcdir/tests/cli/kdump-pages.py" new want some > told 2>&1 || fail "$1 $2: $(cat told)"
	read -r count absent < told
	[ "$absent" -lt $((count / 2)) ] || fail "$1 $2: $absent of $count pages are absent"
	rm new
}

for output in new - '|cat > new'; do
	for engine in -j1 -j4 --serial; do
		stopped "$output" $engine
	done
done

# One that was renamed meanwhile, or cannot be read for another reason: the descriptors that are not there stay zeros.
expect_status 143 injected 'pread:kinds:@20000000-20000001:SIGTERM pread:kinds:@20000000-40000000:slow=100 pread:new:1-:EFAULT' \
	nsplit -q -j2 --chunksize=64K -C zlib --format=kdump kinds new
grep -q "^nsplit: the dump is incomplete; what is in it can be read as it is$" err || fail "unreadable: $(cat err)"
expect_status 3 njoin -q --verify new
rm new
