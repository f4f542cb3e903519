#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A member is never overwritten, under whatever name it is given as output.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 300000 core
nsplit -q -c core a b
cp a a.copy
cp b b.copy
ln b hard
ln -s a soft

# refused OUTPUT
refused() {
	expect_status 2 njoin -q --overwrite-dumps -o "$1" a b
	expect_err "njoin: $1: is a member of the set; nothing was written; choose another output"
	same a a.copy
	same b b.copy
}

refused a
refused b
refused ./a
refused hard
refused soft
status=0
# shellcheck disable=SC2094 # that is what must be refused
njoin -q -o - a b >> b 2> err || status=$?
[ "$status" -eq 2 ] || fail "onto standard output: status $status"
expect_err "njoin: standard output: is a member of the set; nothing was written; choose another output"
same b b.copy

# Nor is a member that --salvage could not use.
nsplit -q -c core other
head -c 4096 /dev/zero > lost
for given in other lost; do
	cp $given given.copy
	expect_status 2 njoin -q --salvage --overwrite-dumps -o $given a $given b
	tail -n 1 err | grep -qx "njoin: $given: is also given as a member; nothing was written; choose another output" ||
		fail "$(cat err)"
	same $given given.copy
done
