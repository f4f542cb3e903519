#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Without -f, an existing output is refused and not changed.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

echo data > core
echo precious > old
ln -s old link
ln -s nothing dangling
mkdir directory
chmod 644 old

for output in old ./old link; do
	expect_status 2 nsplit core new "$output"
	expect_err "nsplit: $output: already exists; use -f to overwrite"
	absent new
done
expect_status 2 nsplit core new directory
expect_err "nsplit: directory: is a directory; an output must be a file or a device"
expect_status 2 nsplit -f core new directory
expect_err "nsplit: directory: is a directory; an output must be a file or a device"
expect_status 2 nsplit -f core new dangling
expect_err "nsplit: dangling: is a dangling symbolic link"
absent new nothing
[ "$(cat old)" = precious ] || fail "what existed was changed"
[ "$(stat -c %a old)" = 644 ] || fail "the mode of what existed was changed"
