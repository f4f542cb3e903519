#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# /dev/full beside a file: one warning, and the file has everything.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

[ -c /dev/full ] || skip "no /dev/full"
mkfakevmcore -s 3M core

for options in '' -c '-c -j4 --chunksize=64K' '-c --serial' '--stripe --chunksize=64K'; do
	for outputs in '/dev/full a' 'a /dev/full'; do
		rm -f a
		# shellcheck disable=SC2086 # lists
		expect_status 0 nsplit -q $options core $outputs
		expect_err "nsplit: /dev/full: No space left on device; given up, continuing on 1 output"
		expect_joined core a
	done
done

# /dev/full alone: the warning, and a status that says so.
expect_status 1 nsplit -q core /dev/full
expect_err "nsplit: /dev/full: No space left on device; given up, no output is left
nsplit: nothing was captured: every output failed"
