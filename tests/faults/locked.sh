#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A file system without locks does not cost the output.  A new file that another process has locked in
# the meantime is left to it.  A lock that hangs is timed, and so is the look at a file that was synced.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject nsplit

mkfakevmcore -s 1M core

for error in ENOLCK EOPNOTSUPP EINVAL EIO EACCES; do
	for engine in --serial -j2; do
		rm -f log m
		expect_status 0 injected lock:m:1-:$error nsplit -q $engine core m
		expect_err ''
		grep -q "^lock m $error" log || fail "$error: nothing failed: $(cat log)"
		expect_status 0 njoin -q --overwrite-dumps -o copy m
		same core copy
	done
done

rm m
expect_status 1 injected lock:m:1:EAGAIN nsplit -q core m
expect_err 'nsplit: m: is being written by another process; given up, no output is left
nsplit: nothing was captured: every output failed'
[ -e m ] || fail "the file of the other process was removed"

expect_status 0 injected lock:m:1:ENOLCK mkfakevmcore --overwrite-dumps -s 100000 m
expect_status 0 mkfakevmcore -c -s 100000 m

rm m
for rule in lock:m:1:hang open:m:2:hang; do
	rm -f log m other
	expect_status 0 injected $rule nsplit -q --sink-timeout=1 core m other
	expect_err 'nsplit: m: no answer for 1 s; given up, continuing on 1 output
nsplit: m: was not removed, because it does not answer; it is not needed'
	expect_status 0 njoin -q --overwrite-dumps -o copy other
	same core copy
done
