#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What kdump's scripts expect of a collector: one output, a codec and nothing else; then they
# rename it, and take status 0 for a whole dump that no power cut undoes.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 3000000 core
mkdir crash

# Nothing of it is anybody else's to read, whatever the umask.
(
	umask 000
	expect_status 0 nsplit -c core crash/vmcore-incomplete
	# Lines, and no terminal's control characters in them: this may be a serial console's log.
	expect_out ""
	[ -s err ] || fail "no summary"
	tr -d '\r\033' < err > plain
	same err plain
	! grep -v '^nsplit: ' err || fail "a line is not nsplit's"
)
[ -f crash/vmcore-incomplete ] && [ ! -h crash/vmcore-incomplete ] || fail "it is no regular file"
[ "$(stat -c %a crash/vmcore-incomplete)" = 600 ] || fail "others may read it"

# One file, which may be called anything afterwards, and lie anywhere.
[ "$(ls crash)" = vmcore-incomplete ] || fail "there is more: $(ls crash)"
mv crash/vmcore-incomplete crash/vmcore
expect_status 0 njoin -q -o copy crash/vmcore
same core copy
rm copy

# A dump of several, each renamed and moved by itself.
mkdir disk1 disk2 away
nsplit -q -c --also='disk{1..2}/vmcore' core disk0
mv disk0 away/zzz
mv disk1/vmcore disk2/2026-11-22
mv disk2/vmcore 'away/with a name'
expect_status 0 njoin -q -o copy disk2/2026-11-22 'away/with a name' away/zzz
same core copy
rm copy

# Pure data on standard output, where it goes on to another machine.
in_pipe nsplit -c core - 2> err | cat > piped
pipes_ended_well
expect_status 0 njoin -q -o copy piped
same core copy

# A dump that is not whole is no success: then it keeps the name that it has.
expect_status 1 nsplit -q -c core /dev/full
expect_status 1 nsplit -q -c core nowhere/vmcore-incomplete
expect_status 2 nsplit -q -c core crash/vmcore

# Success is claimed after fsync, of the file and of its directory: each that fails shows.
need_inject nsplit
for name in vmcore-incomplete crash; do
	expect_status 3 injected "fsync:$name:1-:EIO" nsplit -q -c core crash/vmcore-incomplete
	grep -q "^fsync $name EIO" log || fail "$name is not made safe: $(cat log)"
	rm -f log crash/vmcore-incomplete
done
