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
		expect_status 2 nsplit -f "$source" "$output"
		expect_err "nsplit: $output: is the source, $source"
		expect_status 2 nsplit -f "$source" new "$output"
		expect_err "nsplit: $output: is the source, $source"
		expect_status 2 nsplit "$source" "$output"
	done
done
same core copy
absent new

expect_status 1 nsplit nowhere new
expect_err "nsplit: nowhere: No such file or directory"
expect_status 1 nsplit . new
expect_err "nsplit: .: Is a directory"
absent new
