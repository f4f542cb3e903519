#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A file that has data and reports a size of 0, such as those in /proc, is read to its end; an empty
# file gives an empty set.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

: > empty
expect_status 0 nsplit -q empty e
expect_status 0 njoin -q -o none e
same none empty
rm none

# An empty stream is usually the output of a program that failed.
said=': ended without data, so the members are empty; check the program that should have written to it'
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
	skip "$made_up is not such a file"
fi
expect_status 0 nsplit -q "$made_up" a
expect_status 0 njoin -q -o copy a
same copy want
