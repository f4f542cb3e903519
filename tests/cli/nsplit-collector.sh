#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What kdump's scripts expect of a collector: they pass one output and a codec, rename the file
# afterwards, and take status 0 for a complete dump that a power failure cannot undo.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 3000000 core
mkdir crash

# Nobody else may read the file, with any umask.
(
	umask 000
	expect_status 0 nsplit -c core crash/vmcore-incomplete
	# Complete lines without control characters: this may be the log of a serial console.
	expect_out ""
	[ -s err ] || fail "no summary"
	tr -d '\r\033' < err > plain
	same err plain
	! grep -v '^nsplit: ' err || fail "a line does not begin with nsplit:"
)
[ -f crash/vmcore-incomplete ] && [ ! -h crash/vmcore-incomplete ] || fail "not a regular file"
[ "$(stat -c %a crash/vmcore-incomplete)" = 600 ] || fail "others may read it"

# One file, which may be renamed and moved.
[ "$(ls crash)" = vmcore-incomplete ] || fail "other files: $(ls crash)"
mv crash/vmcore-incomplete crash/vmcore
expect_status 0 njoin -q -o copy crash/vmcore
same core copy
rm copy

# A dump of several members, each renamed and moved by itself.
mkdir disk1 disk2 away
nsplit -q -c --also='disk{1..2}/vmcore' core disk0
mv disk0 away/zzz
mv disk1/vmcore disk2/2026-11-22
mv disk2/vmcore 'away/with a name'
expect_status 0 njoin -q -o copy disk2/2026-11-22 'away/with a name' away/zzz
same core copy
rm copy

# Only data on standard output, which may be sent to another machine.
in_pipe nsplit -c core - 2> err | cat > piped
pipes_ended_well
expect_status 0 njoin -q -o copy piped
same core copy

# An incomplete dump is a failure, so that kdump does not rename it.
expect_status 1 nsplit -q -c core /dev/full
expect_status 1 nsplit -q -c core nowhere/vmcore-incomplete
expect_status 2 nsplit -q -c core crash/vmcore

# Success is reported after fsync of the file and of its directory: each failure shows.
need_inject nsplit
for name in vmcore-incomplete crash; do
	expect_status 3 injected "fsync:$name:1-:EIO" nsplit -q -c core crash/vmcore-incomplete
	grep -q "^fsync $name EIO" log || fail "$name is not synced: $(cat log)"
	rm -f log crash/vmcore-incomplete
done
