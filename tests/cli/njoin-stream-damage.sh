#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --verify reports damage in a stream with its offset, as -o does.  Data after the last footer is
# not part of the member.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 300000 core
nsplit -q -r --chunksize=64K core a
cp a bad
# Here, the last but one unit of a member is its index segment.
index=$(($(stat -c %s a) - 8192))
printf '\377' | dd of=bad bs=1 seek=$((index + 30)) conv=notrunc 2> dd.err

cat bad | expect_status 1 njoin -q -o copy -
expect_err "njoin: standard input: damaged at byte $index: index segment"
absent copy
cat bad | expect_status 1 njoin -q --verify -
expect_err "njoin: standard input: damaged at byte $index: index segment"

# As a device returns it.
{
	cat a
	head -c 8192 /dev/zero
} > device
cat device | expect_status 0 njoin -q -o copy -
same copy core

# With an older and longer set after the footer.
mkfakevmcore -s 2M --pattern=zero long
nsplit -q --chunksize=16K long device --overwrite-dumps
mkfakevmcore -s 300000 --pattern=zero core --overwrite-dumps
nsplit -q --overwrite-dumps --chunksize=16K core a
dd if=a of=device conv=notrunc 2> dd.err
cat device | expect_status 0 njoin -q --overwrite-dumps -o copy -
same copy core
