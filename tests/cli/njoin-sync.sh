#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# While an output of njoin is synced, progress says so, and a signal waits for it; a second one does
# not, and neither does the first if the output is a stream.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject njoin
mkfakevmcore --size=1M core
nsplit -q core a b

# begins RULES OUTPUTS ARGUMENT...: begins to join and waits until it syncs so many outputs
begins() {
	rules=$1 waits="$2 output"
	[ "$2" -eq 1 ] || waits=${waits}s
	shift 2
	# Not with injected(), whose process is not the program.
	env INJECT="$rules" LD_PRELOAD="$inject" ASAN_OPTIONS=verify_asan_link_order=0 \
		njoin --progress=always "$@" a b > stream 2> err &
	pid=$!
	wait_for still_says "$pid" "njoin: 100.0 %, .* read, syncing $waits\$"
}

# ends TEXT: it ends by SIGTERM, with this on standard error but for progress and summary
ends() {
	expect_end 143 $pid
	sed -i '/ %, /d; / joined in /d' err
	expect_err "$1"
}

kept='nothing was left to write when the signal came; everything is kept'
waits_for='to be synced; a second signal ends this at once'

begins 'fsync:out.*:1:slow=5000' 1 -o out
kill -s TERM "$pid"
ends "njoin: Terminated: waiting for 1 output $waits_for
njoin: $kept"
cmp core out || fail 'the output is not complete'

begins 'fsync:dump*:1-2:slow=3000' 2 --format=kdump -o dump1 -o dump2
kill -s TERM "$pid"
ends "njoin: Terminated: waiting for 2 outputs $waits_for
njoin: $kept"
for dump in dump1 dump2; do
	[ -s $dump ] || fail "$dump is missing"
done

begins 'fsync:new.*:1:hang' 1 -o new
kill -s TERM "$pid"
wait_for still_says "$pid" 'Terminated: waiting'
# An earlier one would be the same request.
sleep 1.2
kill -s TERM "$pid"
ends "njoin: Terminated: waiting for 1 output $waits_for"
absent new*

# Also a part that has its name already, since it looks like a complete dump.
mkdir parts
begins 'fsync:parts:1:hang' 2 --format=kdump -o parts/1 -o parts/2
wait_for test -e parts/1
kill -s TERM "$pid"
wait_for still_says "$pid" 'Terminated: waiting'
sleep 1.2
kill -s TERM "$pid"
ends "njoin: Terminated: waiting for 2 outputs $waits_for"
absent parts/*

# The parent sees the signal, even if the sync fails.
begins 'ftruncate:failed.*:1:slow=5000 fsync:failed.*:1:EIO' 1 -o failed
kill -s TERM "$pid"
ends "njoin: Terminated: waiting for 1 output $waits_for
njoin: failed: Input/output error"
absent failed*

begins 'fsync:stream:1:hang' 1 -o -
kill -s TERM "$pid"
ends ''
