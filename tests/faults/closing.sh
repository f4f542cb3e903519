#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A last close that fails: what a file, a disk or a pipe has been given, it has; a tape may have
# lost the end of it.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject nsplit

mkfakevmcore -s 1M core

# closing STATUS: the third close of m0, after the two that ask what a close would say
closing() {
	rm -f log
	expect_status "$1" injected close:m0:3:EIO nsplit -q -c core m0
	grep -q '^close m0 EIO' log || fail "no close failed: $(cat log)"
}

closing 0
expect_err 'nsplit: m0: Input/output error; only closing it failed, it was safe before'
expect_status 0 njoin -q -o copy m0
same core copy
rm m0 copy

mkfifo m0
cat m0 > piped &
closing 0
wait $!
expect_err 'nsplit: m0: Input/output error; only closing it failed, it was safe before'
expect_status 0 njoin -q -o copy piped
same core copy
rm m0

# Nobody but root can make a device.
mknod m0 c 1 3 2> mknod.err || skip "no character device: $(cat mknod.err)"
closing 3
expect_err 'nsplit: m0: Input/output error
nsplit: what is on the outputs may not be whole'
