#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --format=kdump with any amount of memory: the dump has everything that was wanted, perhaps with another
# codec, which the form knows, or with pages that were to be left out; or nothing is captured.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need prlimit
make_core kinds
have_codec zlib || skip "this build has no zlib"
prlimit --as=1000000000 nsplit --version > version 2> err ||
	skip "it does not run in 1 GB of address space"

for level in 0 31; do
	expect_status 0 nsplit -q -d $level --format=kdump kinds new
	expect_status 0 njoin -q --format=elf -o memory$level new
	rm new
done

# with MEBIBYTES: captures with this address space
with() {
	status=0
	prlimit --as=$(($1 << 20)) nsplit -q -j2 -C zlib -d 31 --format=kdump kinds new > out 2> err || status=$?
	if [ $status -ne 0 ]; then
		[ $status -eq 1 ] || [ $status -eq 127 ] || fail "$1 MiB: status $status: $(cat err)"
		absent new
		return
	fi
	level=31
	grep -q '^nsplit: warning: nothing is left out: ' err && level=0
	! grep -q 'lzo instead of zlib' err || lighter=yes
	[ ! -s err ] || less=yes
	expect_status 0 njoin -q --format=elf -o copy new
	same copy memory$level
	rm new copy
}

less=no lighter=no
mebibytes=6
while [ $mebibytes -lt 48 ]; do
	with $mebibytes
	mebibytes=$((mebibytes + 2))
done
[ $less = yes ] || fail "no limit reduced anything"
[ $lighter = yes ] || fail "no limit changed the codec"
