#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# While the outputs are synced, progress says so, and a signal waits for it: the dump is complete.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject nsplit
mkfakevmcore --size=1M core
# Not with injected(), whose process is not the program.
env INJECT='fsync:a:1:slow=5000' LD_PRELOAD="$inject" ASAN_OPTIONS=verify_asan_link_order=0 \
	nsplit -c --progress=always core a b 2> err &
pid=$!
wait_for still_says "$pid" 'nsplit: 100.0 %, .*, ratio [0-9.]*, syncing 1 output$'
kill -s TERM "$pid"
status=0
wait "$pid" || status=$?
[ $status -eq 143 ] || fail "status $status and not 143: $(cat err)"
sed -i '/ %, /d; / captured in /,$d' err
expect_err "nsplit: Terminated: waiting for 1 output to be synced; a second signal ends this at once
nsplit: the dump is complete: nothing was left to capture"
closed a b
expect_status 0 njoin -q -o joined a b
expect_err ''
cmp core joined || fail 'the dump is not complete'
