#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The memory of a capture is locked if that is allowed; if not, there is no message.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 300000 data
mkfifo source

# locked: prints the KiB that the process of a capture has locked while it waits for its source
locked() {
	rm -f a
	nsplit -q -c --serial source a 2> err &
	pid=$!
	exec 3> source
	cat data >&3
	wait_for still_at_least "$pid" 1 a
	sed -n 's/^VmLck:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$pid/status"
	exec 3>&-
	wait "$pid" || fail "status $?"
	[ ! -s err ] || fail "$(cat err)"
}

# CAP_IPC_LOCK is bit 14: without it, the limit applies.
capable=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
limit=$(sed -n 's/^Max locked memory *\([^ ]*\) .*/\1/p' /proc/self/limits)
[ $((0x$capable >> 14 & 1)) -eq 1 ] || [ "$limit" = unlimited ] ||
	skip "no more than $limit bytes may be locked here"
kib=$(locked)
# At least one chunk of 1 MiB.
[ "$kib" -ge 1024 ] || fail "$kib KiB are locked"
njoin -q -o copy a
same copy data
