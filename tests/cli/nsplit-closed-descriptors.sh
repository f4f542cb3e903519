#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# If the parent closed the standard descriptors, no message gets into a member, and a missing
# standard input or output is an error.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 300000 core
nsplit -c --direct=never core a nowhere/b 0<&- 1>&- 2>&- || fail "status $?"
expect_status 0 njoin -q -o copy a
same copy core

# fails COMMAND...
fails() {
	if "$@" 2> err; then
		fail "$*: status 0"
	fi
	[ -s err ] || fail "$*: no message"
}

fails nsplit -q - member <&-
absent member
fails nsplit -q core - >&-
fails njoin -q -o - a >&-
fails njoin --info a >&-
