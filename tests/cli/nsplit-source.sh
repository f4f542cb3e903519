#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The source is not overwritten, under any name; a source that cannot be read is an error, and a dump is refused.
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
		expect_status 2 nsplit --overwrite-dumps "$source" "$output"
		expect_err "nsplit: $output: $said"
		expect_status 2 nsplit --overwrite-dumps "$source" new "$output"
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

# A dump of another program, or of njoin, is not the memory of a machine.  Its first bytes decide.
printf 'KDUMP   \6\0\0\0and more' > dump
printf 'makedumpfile\0\0\0\0and more' > flat
printf 'KDUMP   ' > short
plain="is a kdump-compressed dump, not the memory of a machine; use njoin -d LEVEL to make it smaller"
flattened="is a flattened dump, not the memory of a machine; use njoin -o FILE to make a plain file of it"
for option in -q -n --check-params -d31 --format=kdump; do
	expect_status 2 nsplit $option dump new
	expect_err "nsplit: dump: $plain"
	expect_status 2 nsplit $option flat new
	expect_err "nsplit: flat: $flattened"
	absent new
done
# Too short for a dump, and a stream, which is read only once.
for source in short -; do
	expect_status 0 nsplit -q $source new < dump
	expect_status 0 njoin -q -o restored new
	same restored "$([ $source = - ] && echo dump || echo $source)"
	rm new restored
done

# So is a file on standard input, whatever it holds, from where it stands.
head -c 300000 "$(command -v nsplit)" > raw
expect_status 0 nsplit -q - new < raw
expect_status 0 njoin -q -o restored new
same restored raw
rm new restored
