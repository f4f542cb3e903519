#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A closed member took more records for another one that failed, and then failed itself: everything
# that its first footer lists is there.  And a device that holds an earlier capture, and a later one
# that was killed.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

need python3
need_inject nsplit

mkfakevmcore -s 1M -p random core
mkfakevmcore -s 1M -p random --seed=2 other

# failing STATUS RULES CORE OUTPUT...: with the serial engine, so that the order of the calls is
# known
failing() {
	failing_status=$1 failing_rules=$2
	shift 2
	rm -f log
	expect_status "$failing_status" injected "$failing_rules" \
		nsplit -q --overwrite-dumps -r --serial --stripe --chunksize=64K "$@"
	[ -s log ] || fail "nothing failed"
}

# half MEMBER: it has its eight records and is closed
half() {
	grep -q "$1: Input/output error; 556.0 KiB kept, no output is left" err ||
		fail "$(cat err)"
	ranges err > nsplit.missing
	expect_status 1 njoin -q -v --verify "$1"
	ranges err > njoin.missing
	same nsplit.missing njoin.missing
	expect_status 1 njoin -q --verify "$1"
	if grep -v '^njoin: missing: \|^njoin: member 1 of 2 .*is missing$' err; then
		fail "more than holes: $(cat err)"
	fi
}

# A file: superblock, eight records, index, the footer's space, the footer; then a record fails, or
# the sync before the next index.
for rule in pwrite:m0:13:EIO pwrite:m0:15-:EIO fsync:m0:3:EIO fsync:m0:4:EIO; do
	rm -f m0 m1
	failing 3 "$rule fsync:m1:2-:EIO" core m0 m1
	half m0
done

truncate -s 4M disk
make_loop disk
name=${loop##*/}
# The first and last unit cleared, and then as above; with the footer, also the unit after it, and
# the second copy.
for rule in pwrite:$name:17:EIO pwrite:$name:20:EIO fsync:$name:4:EIO; do
	rm -f m1
	failing 3 "$rule fsync:m1:2-:EIO" core "$loop" m1
	half "$loop"
done

# last_unit: prints the number of its bytes that are not zero
last_unit() {
	tail -c 4096 "$loop" | tr -d '\0' | wc -c
}

expect_status 0 nsplit -q --overwrite-dumps core "$loop"
[ "$(last_unit)" -gt 0 ] || fail "the device has no second footer"
failing 137 "pwrite:$name:6:SIGKILL" other "$loop"
[ "$(last_unit)" -eq 0 ] || fail "the footer of the earlier capture is still there"
expect_status 1 njoin -q --verify "$loop"
grep -q 'has no footer' err || fail "$(cat err)"
