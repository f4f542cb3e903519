#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# As examples.sh, for the blocks of commands that mount.
# shellcheck source=tests/cli/examples-lib.sh
. "${srcdir:?}/tests/cli/examples-lib.sh"
need_fuse

printf 'nsplit-mount -d LEVEL\toptions without operands\n' > list
all_blocks > all
while read -r block; do
	! grep -q '^nsplit-mount' "$block" || printf '%s\n' "$block"
done < all > here
run_blocks < here
