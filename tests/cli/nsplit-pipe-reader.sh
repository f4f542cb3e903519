#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A named pipe without a reader is given up after --sink-timeout.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 100000 core
mkfifo pipe
for engine in --serial -j2; do
	expect_status 0 nsplit -q "$engine" --sink-timeout=0.2 core pipe a
	expect_err "nsplit: pipe: no reader for 0.2 s; given up, continuing on 1 output"
	expect_status 0 njoin -q -o copy a
	same copy core
	rm a copy
done
expect_status 1 nsplit -q --sink-timeout=0.2 core pipe
expect_err "nsplit: pipe: no reader for 0.2 s; given up, no output is left
nsplit: nothing was captured: every output failed"

# nsplit waits for a reader that comes later, which receives everything.
(sleep 0.3 && cat pipe > got) &
expect_status 0 nsplit -q core pipe
expect_err ""
wait $!
closed got
expect_status 0 njoin -q -o copy got
same copy core
