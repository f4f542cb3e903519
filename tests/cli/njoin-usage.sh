#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Invalid command lines of njoin: the exact message, exit status 2, no file created.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 100000 core
nsplit -q core a b

# usage TEXT ARGUMENT...
usage() {
	expect_usage njoin "$@"
	absent new
}

usage "no MEMBER given"
usage "no MEMBER given" -o new
usage "no -o FILE given (or --verify, --info, --list or --dmesg)" a b
usage "-o cannot be combined with --verify, which writes no file" --verify -o new a b
usage "-o cannot be combined with --info, which writes no file" -o new --info a b
usage "-o cannot be combined with --list, which writes no file" -o new --list a b
usage "--json requires --info or --list" --json -o new a b
usage "--json requires --info or --list" --verify --json a b
usage "--json requires --info or --list" --dmesg --json a b
usage "- must be the only MEMBER" -o new - a
usage "- must be the only MEMBER" -o new a -
usage "- must be the only MEMBER" -o new - -
usage "-o: the name of the output is empty" -o '' a b
usage "--output: the name of the output is empty" --format=kdump -o new --output= a b
usage "--output: the name of the output is empty" --dmesg --output= a b
usage "members: '' results in an empty name" -o new a ''
usage "-j '0x1' is not a number" -j0x1 -o new a b
usage "-j 0 is out of range; use 1 to 4096" -j0 -o new a b
usage "--threads 4097 is out of range; use 1 to 4096" --threads=4097 -o new a b
usage "--progress must be auto, always or never, not 'on'" --progress=on -o new a b
usage "--range must be OFFSET:LENGTH, not '100'" --range=100 -o new a b
usage "--verify and --info cannot be combined" --verify --info a b
usage "--info and --verify cannot be combined" --info --verify a b
usage "--dmesg and --list cannot be combined" --dmesg --list a b
usage "--range cannot be combined with --dmesg" --dmesg --range=0:1 a b
usage "--range cannot be combined with --list" --list --range=0:1 a b
usage "--range: 'x' is not a size$size_rule" --range=x:1 -o new a b
usage "--range: '' is not a size$size_rule" --range=1: -o new a b
usage "--range: '-1' is not a size$size_rule" --range=0:-1 -o new a b
usage "--range: '1Q' is not a size$size_rule" --range=1Q:1 -o new a b
usage "--range: '8E' is too large" --range=8E:1 -o new a b
usage "--range: the length must not be 0" --range=5:0 -o new a b

# Unknown options and missing values.
expect_usage njoin "unknown option '--frob'" --frob a
expect_usage njoin "option '-o' needs a value: -o FILE" -o

# More members than a set can have.
expect_status 2 njoin -o new 'm{0..254}'
grep -q '^njoin: members: ' err || fail "too many members: $(cat err)"

# In a running system, /proc/vmcore does not exist.
if [ ! -e /proc/vmcore ]; then
	for mode in --list --dmesg --info; do
		expect_status 1 njoin $mode /proc/vmcore
		expect_err "njoin: /proc/vmcore: exists only in the capture kernel, after a crash; 'nsplit --check-params' checks the setup, and mkfakevmcore makes a core to try with"
	done
	expect_status 1 njoin --dmesg /proc/no-vmcore
	expect_err "njoin: /proc/no-vmcore: No such file or directory"
fi
