#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A plain core that cannot be read everywhere: what is unreadable is named, and the rest
# is the same as from the set of a capture that could not read it either.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3
need_inject njoin

python3 -B "$srcdir/tests/readers/core.py" core
mkdir d

# kdump STATUS RULES FILE CORE
kdump() {
	status=0
	injected "$2" njoin -q -j1 --format=kdump -o "d/$3" "$4" > out 2> err || status=$?
	[ "$status" -eq "$1" ] || fail "$2: status $status and not $1: $(cat err)"
}

# In the middle, in the last record, at the end of a segment within a page, and over several reads.
for bytes in 80000-80001 1900000-1910000 722000-722001 300000-900000; do
	rm -f a d/*
	status=0
	injected "pread:core:@$bytes:EIO" nsplit -q -c -j1 core a 2> err || status=$?
	[ $status -eq 3 ] || fail "a capture: status $status: $(cat err)"
	kdump 3 "" set a
	sed 's/ when captured//' err > want
	kdump 3 "pread:core:@$bytes:EIO" plain core
	same err want
	same d/plain d/set
done
rm d/*
expect_status 3 injected "pread:core:@80000-80001:EIO" njoin -q --format=kdump -o d/0 -o d/1 core
expect_err "njoin: unreadable: bytes 77824 to 81919
njoin: missing: 1 page of 4096 bytes"
rm d/*

# With two threads, the last page is written before the first one is found to be unreadable.
if have_codec zlib; then
	rm -f a
	status=0
	injected "pread:core:@80000-80001:EIO" nsplit -q -j1 -C zlib core a 2> err || status=$?
	[ $status -eq 3 ] || fail "a capture: status $status: $(cat err)"
	expect_status 3 njoin -q --format=kdump --compress=zlib -o d/set a
	expect_status 3 injected "pread:core:@80000-80001:EIO pread:core:@8192-70000:slow=200" \
		njoin -q -j2 --format=kdump --compress=zlib -o d/plain core
	expect_status 0 njoin -q --format=kdump --compress=zlib -o d/whole core
	for file in plain set; do
		python3 "$srcdir/tests/cli/kdump-pages.py" d/$file d/whole 1 || fail "$file: with two threads"
	done
	rm d/*
fi

# Bytes that are no pages do not matter, unless they are the headers.
cp core longer
head -c 3000000 core >> longer
kdump 0 "pread:longer:@3000000-4000000:EIO" plain longer
expect_err ""
kdump 0 "" core core
same d/plain d/core
rm d/*
kdump 1 "pread:core:@0-1:EIO" new core
expect_err "njoin: core: at byte 0: Input/output error"
expect_status 1 injected "pread:core:@0-1:EIO" njoin --list core
expect_err "njoin: core: at byte 0: Input/output error
njoin: no member can be read"

# A dump without any page is not written.
kdump 1 "pread:core:@8192-2100000:EIO" new core
tail -n 1 err | grep -qx "njoin: none of the core's memory is present" || fail "$(cat err)"
[ -z "$(ls -A d)" ] || fail "a file is left: $(ls -A d)"
# From some read on, nothing can be read.  What was read before is in the dump, and the rest is absent.
read=1
status=1
while [ $status -eq 1 ]; do
	read=$((read + 1))
	[ $read -lt 500 ] || fail "no dump with some of the pages: $(cat err)"
	status=0
	injected "pread:core:$read-:EIO" njoin -q -j1 --format=kdump -o d/new core > out 2> err || status=$?
done
[ $status -eq 3 ] || fail "status $status: $(cat err)"
missing=$(sed -n 's/^njoin: missing: \([0-9]*\) pages of 4096 bytes$/\1/p' err)
expect_status 3 njoin -q --verify d/new
grep -qx "njoin: missing: $missing pages of 4096 bytes" err || fail "not the $missing pages: $(cat err)"
