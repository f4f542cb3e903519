#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --format=kdump of a source that cannot be read everywhere, or was cut short: these pages are absent, and no
# others.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

make_core kinds
have_codec zlib || skip "this build has no zlib"

# --- a source that was cut short

# compared FILE TEXT: its pages are those of the file want; this is what kdump-compare.py prints
compared() {
	python3 -B "$srcdir/tests/cli/kdump-compare.py" "$1" want > told 2>&1 || fail "$1: $(cat told)"
	[ "$(cat told)" = "$2" ] || fail "$1: $(cat told)"
}

expect_status 0 njoin -q --format=kdump --compress=zlib -o want kinds
cp kinds short
truncate -s 20000000 short
cut="nsplit: short: cut short: it ends at byte 20000000, but its segments at byte 34152448; missing: 3440 pages of 4096 bytes"
for engine in -j3 --serial; do
	for output in new -; do
		expect_status 3 nsplit -q $engine -C zlib --format=kdump short "$output"
		expect_err "$cut"
		[ "$output" != - ] || cp out new
		compared new 'both 4880, first 0, second 3440'
		expect_status 3 njoin --info new
		grep -q ', level 0, marked as incomplete$' out || fail "cut short: $(cat out)"
		rm new
	done
	expect_status 3 nsplit -q $engine --format=elf short new
	expect_err "$cut
nsplit: the dump is incomplete, and nothing in it says so; pages that are missing are zeros"
	rm new
done
# The members have all bytes of the source, whatever that is.
expect_status 0 nsplit -q short new
expect_status 0 njoin -q -o copy new
same copy short
rm new copy
# What is missing is also somewhere else.
head -c 34100000 kinds > short
expect_status 0 nsplit -q -C zlib --format=kdump short new
compared new 'both 8320, first 0, second 0'
rm new want short

# --- one that cannot be read

need_inject nsplit

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
