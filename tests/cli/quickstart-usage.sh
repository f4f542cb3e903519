#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ./quickstart reports a wrong command in one line, before it does anything.
# shellcheck source=tests/cli/quickstart-lib.sh
. "${srcdir:?}/tests/cli/quickstart-lib.sh"

# refused MESSAGE ARGUMENT...
refused() {
	message=$1
	shift
	expect_status 2 sh tree/quickstart "$@"
	expect_out ''
	expect_err "quickstart: $message"
	absent tree/build
}

refused "unknown command 'dmeo'; ./quickstart --help lists all" dmeo
for command in demo check check-remote check-packages; do
	refused "$command takes no arguments; ./quickstart --help describes it" $command now
done

expect_status 2 sh tree/quickstart
head -n 1 err | grep -qx 'Usage: \./quickstart demo' || fail "$(cat err)"
expect_out ''
absent tree/build
