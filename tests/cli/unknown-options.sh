#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An unknown option is reported with the nearest known one.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# unknown PROGRAM OPTION TEXT: the option is refused with this text after its name; of a letter, what
# follows it is its value, or further letters
unknown() {
	case $2 in
	-1*) refused=$2 ;;
	-T*) refused=${2%"${2#-?}"} ;;
	*) refused=${2%%=*} ;;
	esac
	expect_usage "$1" "unknown option '$refused'$3" "$2" core new
	absent new
}

echo data > core
expect_status 0 nsplit --list-c
unknown nsplit --frob ''
unknown nsplit --lzop "; do you mean '--lzo'?"
unknown nsplit --lzop=3 "; do you mean '--lzo'?"
unknown nsplit --memlimit=1G "; do you mean '--mem-limit'?"
unknown nsplit --noforce "; do you mean '--no-force'?"
unknown nsplit -lzo "; do you mean '--lzo'?"
unknown nsplit -J "; do you mean '-j'?"
unknown njoin --verfy "; do you mean '--verify'?"
unknown nsplit-bench --codec-s "; do you mean '--codecs'?"
unknown njoin -19 ''
unknown nsplit -T0 ''
expect_usage nsplit "unknown option '-F'; do you mean '-f'?" -cF core new
expect_usage nsplit "option '--no' is ambiguous: --no-read-all, --no-stripe, --no-digest, --no-force, --no-any-owner, --no-config, --no-quiet, --no-verbose" \
	--no core new
# Sizes in two words, and a size in place of an option.
expect_usage nsplit "'64 MB': a size has no space before its unit; use 64MB" --mem-limit=64 MB core new
expect_usage nsplit "'64 K': a size has no space before its unit; use 64K" -b 64 K core new
expect_usage nsplit "--mem-limit: '64 MB': a size has no space before its unit; use 64MB" '--mem-limit=64 MB' core new
expect_usage mkfakevmcore "'1 GiB': a size has no space before its unit; use 1GiB" -s 1 GiB new
expect_usage mkfakevmcore "'1G': FILE is the only operand; use --size=1G" 1G new
expect_usage mkfakevmcore "'1G': FILE is the only operand; use --size=1G" new 1G
expect_usage nsplit "nul:: unknown kind of output; use null: to discard all data, or ./nul: for a file" core nul:
absent new nul:
expect_status 0 nsplit -q core ./nul:
closed nul:
rm nul:
# Without -, a pipe is not read.
echo data | expect_usage nsplit "no OUTPUT given: 'new' is the SOURCE; to read standard input, write - before it" -c new
if [ -x "$builddir/nsplit-mount" ]; then
	cp core member
	expect_usage nsplit-mount "no MOUNTPOINT given: 'member' is a file; the last operand must be a directory, such as mnt after 'mkdir mnt'" core member
fi
# getopt_long() finds an empty word ambiguous.
expect_usage nsplit "unknown option '--=x'" --=x core new
expect_usage nsplit "option '--zstd' takes no value" --zstd=3 core new
# The value was forgotten.
expect_usage nsplit-bench "option '--join-to' needs a value: --join-to=FILE; '--json' is an option" \
	--join-to --json fake:1M null:
expect_usage nsplit "option '--stats' needs a value: --stats=FILE; '--st' is an option" --stats --st core new
absent --st
expect_usage nsplit "option '--force' takes no value" --force=yes core new
