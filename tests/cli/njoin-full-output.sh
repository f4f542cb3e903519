#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# If an output is full, or standard output cannot be written, njoin names it, ends with status 1, and leaves nothing.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 3M -p random core
nsplit -q -c core a b
mkdir d

for threads in 1 4; do
	status=0
	(ulimit -f 100 && trap '' XFSZ && exec njoin -q -j$threads -o d/new a b) 2> err || status=$?
	[ "$status" -eq 1 ] || fail "a file over the limit: status $status"
	expect_err "njoin: d/new: File too large"
	[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"
done

# A reader that closes the pipe.
{ njoin -q -o - a b 2> err || echo $? > status; } | head -c 100 > /dev/null
expect_err "njoin: standard output: Broken pipe"
[ "$(cat status)" = 1 ] || fail "a broken pipe: status $(cat status)"

[ -c /dev/full ] || exit 0

# full ARGUMENT...
full() {
	status=0
	njoin "$@" > /dev/full 2> err || status=$?
	[ "$status" -eq 1 ] || fail "njoin $*: status $status; $(cat err)"
	expect_err "njoin: standard output: No space left on device"
}

full -q -o - a b
full --info a b
full --info --json a b
full --help
full --version
