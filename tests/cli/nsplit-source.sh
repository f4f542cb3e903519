#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The source is not overwritten, under any name; a source that cannot be read is an error.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

echo precious > core
cp core copy
ln core hard
ln -s core soft

for output in core ./core hard soft; do
	for source in core soft; do
		said="is the source, $source"
		[ "$output" != "$source" ] || said="is the source"
		expect_status 2 nsplit -f "$source" "$output"
		expect_err "nsplit: $output: $said"
		expect_status 2 nsplit -f "$source" new "$output"
		expect_err "nsplit: $output: $said"
		# The remedy is not -f.
		expect_status 2 nsplit "$source" "$output"
		expect_err "nsplit: $output: $said"
	done
done
same core copy
absent new

expect_status 1 nsplit nowhere new
expect_err "nsplit: nowhere: No such file or directory"
# In a running system, /proc/vmcore does not exist.
if [ ! -e /proc/vmcore ]; then
	for option in -q -n; do
		expect_status 1 nsplit $option /proc/vmcore new
		expect_err "nsplit: /proc/vmcore: exists only in the capture kernel, after a crash; 'nsplit --check-params' checks the setup, and mkfakevmcore makes a core to try with"
	done
	expect_status 1 nsplit /proc/nowhere new
	expect_err "nsplit: /proc/nowhere: No such file or directory"
fi
expect_status 1 nsplit . new
expect_err "nsplit: .: Is a directory"
absent new
