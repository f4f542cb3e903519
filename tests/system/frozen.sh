#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit ends although one of its threads waits in the kernel, where nothing can end it.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

need fsfreeze
mkfakevmcore -s 4M core
make_ext4 disk 32M
at_exit "fsfreeze -u disk"
sync
fsfreeze -f disk 2> freeze.err || skip "cannot freeze a file system: $(cat freeze.err)"

# Opening a file on the frozen file system hangs; writing an open one would hang likewise.
expect_status 0 timeout -s KILL 60 nsplit -q --sink-timeout=1 core disk/a other
expect_err "nsplit: disk/a: no answer for 1 s; given up, continuing on 1 output
nsplit: disk/a: was not removed, because it does not answer; it is not needed"
expect_joined core other

# As the only output, and after SIGTERM: the first process dies of the signal, whatever the second
# one does.
expect_status 1 timeout -s KILL 60 nsplit -q --sink-timeout=1 core disk/b
nsplit -q --sink-timeout=3 core disk/c another 2> err &
nsplit=$!
kill_at_exit $nsplit
wait_for at_least 4096 another
kill -s TERM $nsplit
expect_end 143 $nsplit SIGTERM
closed another
fsfreeze -u disk
