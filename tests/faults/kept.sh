#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members that cannot be closed are kept if they contain a record, which njoin --salvage reads; also
# if the output stays full, even for overwriting.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject nsplit

mkfakevmcore -s 1M -p random core

# failing STATUS RULE OUTPUT...
failing() {
	failing_status=$1 failing_rule=$2
	shift 2
	rm -f log m0 m1 copy
	expect_status "$failing_status" injected "$failing_rule" nsplit -q -r --serial --chunksize=64K core "$@"
	[ -s log ] || fail "nothing failed"
}

for rule in fsync:m0:1-:EIO fsync:m0:2-:EIO; do
	failing 3 $rule m0
	grep -q 'm0: .*; given up, no output is left' err || fail "$rule: $(cat err)"
	tail -n 1 err > last
	echo 'nsplit: no output could be closed; 1 of them holds records that njoin --salvage can read' |
		cmp -s - last || fail "$rule: $(cat err)"
	# What the first fsync has lost, if that failed, is missing, and no more.
	case $rule in
	*:1-:*)
		expect_status 3 njoin -q --salvage -o copy m0
		grep -q '^njoin: missing: bytes 524288 to 1048575 (512.0 KiB)$' err || fail "$rule: $(cat err)"
		;;
	*)
		expect_status 0 njoin -q --salvage -o copy m0
		same core copy
		;;
	esac
done

# The superblock, five records, and then no more.  Two of the records are removed, without effect.
failing 3 'pwrite:m0:7-:ENOSPC' m0
expect_err 'nsplit: m0: No space left on device; given up, no output is left
nsplit: no output could be closed; 1 of them holds records that njoin --salvage can read'
expect_status 3 njoin -q --salvage -o copy m0
grep -q '^njoin: missing: bytes 196608 to 1048575 (832.0 KiB)$' err || fail "salvage: $(cat err)"

# The dump is complete without it, so it is removed.
failing 0 'pwrite:m0:7-:ENOSPC' m0 m1
[ ! -e m0 ] || fail "m0 is still there"

# No record was written to it.
failing 1 'pwrite:m0:2-:EIO' m0
expect_err 'nsplit: m0: Input/output error; given up, no output is left
nsplit: nothing was captured: every output failed'
[ ! -e m0 ] || fail "m0 is still there"

# Two records so short that both would have to be removed to make space; nothing more can be written
# even so, and they stay.
rm core
mkfakevmcore -s 192K -p zero core
failing 3 'pwrite:m0:4-:ENOSPC' m0
tail -n 1 err > last
echo 'nsplit: no output could be closed; 1 of them holds records that njoin --salvage can read' |
	cmp -s - last || fail "$(cat err)"
expect_status 3 njoin -q --salvage -o copy m0
grep -q '^njoin: missing: bytes 131072 to 196607 (64.0 KiB)$' err || fail "salvage: $(cat err)"
