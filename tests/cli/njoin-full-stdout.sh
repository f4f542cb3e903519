#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin fails if standard output cannot be written, whatever it prints there.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

[ -c /dev/full ] || skip "no /dev/full"
mkfakevmcore -s 100000 core
nsplit -q core a b

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
