#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A file that has bytes and says that it has none, as those that a kernel makes up, is read
# until it ends; one that is empty is a copy of nothing.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

: > empty
expect_status 0 nsplit -q empty e
expect_status 0 njoin -q -o none e
same none empty
rm none

# A stream without a byte is what a program leaves that has failed.
said=': ended without a single byte, so the members are empty; check the program that should have written to it'
for engine in --serial -j2; do
	expect_status 3 sh -c "false | nsplit -q $engine -c - em"
	expect_err "nsplit: standard input$said"
	expect_status 0 njoin -q -o none em
	same none empty
	rm none em
done
expect_status 3 nsplit /dev/null em
grep -qxF "nsplit: /dev/null$said" err || fail "$(cat err)"
! grep -q missing: err || fail "nothing is missing: $(cat err)"
rm em

find /sys/fs/cgroup -maxdepth 2 \( -name cgroup.clone_children -o -name cgroup.controllers \) \
	> found 2> /dev/null || :
read -r made_up < found || skip 'there is no cgroup file system with files of its own'
cat "$made_up" > want
if [ ! -s want ] || [ "$(stat -c %s "$made_up")" -ne 0 ]; then
	skip "$made_up is no file of this kind"
fi
expect_status 0 nsplit -q "$made_up" a
expect_status 0 njoin -q -o copy a
same copy want
