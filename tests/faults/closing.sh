#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The last close fails.  A file, a disk or a pipe has its data by then; a tape may have lost the end
# of it.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject nsplit

mkfakevmcore -s 1M core

# closing STATUS N: the N-th close of m0 fails, which is the last; two others check what a close would
# return, and of a file two belong to the descriptors by which it was read back
closing() {
	rm -f log
	expect_status "$1" injected "close:m0:$2:EIO" nsplit -q -c core m0
	grep -q '^close m0 EIO' log || fail "no close failed: $(cat log)"
}

closing 0 5
expect_err 'nsplit: m0: Input/output error; only closing it failed, its data is safe'
expect_status 0 njoin -q -o copy m0
same core copy
rm m0 copy

mkfifo m0
cat m0 > piped &
closing 0 3
wait $!
expect_err 'nsplit: m0: Input/output error; only closing it failed, its data is safe'
expect_status 0 njoin -q -o copy piped
same core copy
rm m0

# Only root can create a device.
mknod m0 c 1 3 2> mknod.err || skip "no character device: $(cat mknod.err)"
closing 3 3
keeps_nothing='nsplit: warning: m0: keeps nothing of what is written to it; this part of the dump is not stored'
expect_err "$keeps_nothing
nsplit: m0: Input/output error
nsplit: data on the outputs may be incomplete
$keeps_nothing"

# Nor is the dump complete if a signal comes when all is written: m1 is still being synced.
expect_status 143 injected 'close:m0:3:EIO fsync:m1:1:SIGTERM fsync:m1:2:slow=1000' nsplit -q core m0 m1
for line in 'm0: Input/output error' 'data on the outputs may be incomplete'; do
	grep -qxF "nsplit: $line" err || fail "not \"$line\": $(cat err)"
done
! grep -q 'is complete' err || fail "$(cat err)"
