#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Without -f, an existing file is kept; with -f it is replaced as a whole.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 300000 core
nsplit -q -c core a b
mkdir d
echo precious > d/file

expect_status 2 njoin -q -o d/file a b
expect_err "njoin: d/file: already exists; use -f to overwrite"
[ "$(cat d/file)" = precious ] || fail "the file that existed was changed"
ln d/file d/other
expect_status 0 njoin -q -f -o d/file a b
expect_err ""
same d/file core
[ "$(stat -c %a d/file)" = 600 ] || fail "mode $(stat -c %a d/file)"
# Another hard link to the old file still has the old contents.
[ "$(cat d/other)" = precious ] || fail "the old file was overwritten"

# A symbolic link is kept, and the file that it leads to is replaced.
rm d/file
echo precious > d/file
ln -s d/file link
expect_status 2 njoin -q -o link a b
expect_err "njoin: link: already exists; use -f to overwrite"
expect_status 0 njoin -q -f -o link a b
[ -h link ] || fail "the symbolic link was replaced"
same d/file core
ln -s nowhere dangling
expect_status 2 njoin -q -f -o dangling a b
expect_err "njoin: dangling: is a dangling symbolic link"

expect_status 2 njoin -q -f -o d a b
expect_err "njoin: d: is a directory; an output must be a file or a device"
expect_status 1 njoin -q -o nowhere/file a b
expect_err "njoin: nowhere/file: the directory nowhere does not exist"
[ "$(ls -A d)" = "file
other" ] || fail "something is left: $(ls -A d)"

# It stays as it was if a member is damaged.
cp d/file before
cp b bad
printf x | dd of=bad bs=1 seek=5000 conv=notrunc 2> dd.err
expect_status 1 njoin -q --overwrite-dumps -o d/file a bad
grep -q '^njoin: bad: damaged at byte 4096: ' err || fail "$(cat err)"
same d/file before

# A new file is private, with any umask.
umask 0
expect_status 0 njoin -q -o new a b
[ "$(stat -c %a new)" = 600 ] || fail "mode $(stat -c %a new)"
# A character device and a pipe need no -f.
expect_status 0 njoin -q -o /dev/null a b
