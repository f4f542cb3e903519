#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --format=kdump of a source that cannot be read everywhere: these pages are absent, and no others.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3
need_inject nsplit

make_core kinds
have_codec zlib || skip "this build has no zlib"

# captured STATUS ABSENT RULES ERR: at the level of the file want
captured() {
	for output in new -; do
		for engine in -j3 --serial; do
			expect_status "$1" injected "$3" nsplit -q $engine -C zlib -d $level --format=kdump kinds "$output"
			expect_err "$4"
			[ "$output" != - ] || cp out new
			python3 -B "$srcdir/tests/cli/kdump-pages.py" new want "$2" > told 2>&1 || fail "$3: $(cat told)"
			rm new
		done
	done
}

for level in 0 31; do
	nsplit -q -d $level kinds member
	expect_status 0 njoin -q --format=kdump --compress=zlib -o want member
	# Two pages of the kernel.
	captured 3 2 pread:kinds:@10248192-10256384:EIO \
		"nsplit: unreadable: bytes 10248192 to 10256383 (kinds: Input/output error)
nsplit: part of the source could not be read"
	# The kernel image is in the source twice, and in the dump from its first place.
	captured 3 1 pread:kinds:@16789504-16793600:EIO \
		"nsplit: unreadable: bytes 16789504 to 16793599 (kinds: Input/output error)
nsplit: part of the source could not be read"
	captured 0 0 pread:kinds:@34091008-34095104:EIO ""
	rm want member
done
