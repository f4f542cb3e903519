#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Invalid values of options: the exact message, exit status 2, no file created.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

echo data > core

# usage TEXT ARGUMENT...
usage() {
	expect_usage nsplit "$@" core new
	absent new
}

usage "unknown option '--frob'" --frob
usage "unknown option '-y'" -y
usage "-j '' is not a number" -j ''
usage "-j 'x' is not a number" -j x
usage "-j '-1' is not a number" -j -1
usage "--threads '2K' is not a number" --threads=2K
usage "-j 0 is out of range; use 1 to 4096" -j0
usage "-j 4097 is out of range; use 1 to 4096" -j4097
usage "-b: 'x' is not a size$size_rule" -b x
usage "-b: '4Q' is not a size$size_rule" -b 4Q
usage "-b must be a power of two from 4096 to 1048576, not '0'" -b 0
usage "-b must be a power of two from 4096 to 1048576, not '2K'" -b 2K
usage "--blocksize must be a power of two from 4096 to 1048576, not '5000'" --blocksize=5000
usage "-b must be a power of two from 4096 to 1048576, not '2M'" -b 2M
usage "--chunksize 0 is out of range; use 4096 to 67108864" --chunksize=0
usage "--chunksize 65M is out of range; use 4096 to 67108864" --chunksize=65M
usage "--chunksize=6144 is not a multiple of the block size, 4096" --chunksize=6K
usage "--chunksize=4096 is not a multiple of the block size, 8192" --chunksize=4K -b 8K
usage "--progress must be auto, always or never, not 'maybe'" --progress=maybe
usage "--direct must be auto, always or never, not ''" --direct=
usage "--mmap must be auto, always or never, not 'yes'" --mmap yes
usage "--uuid: 'x' is not a UUID" --uuid=x
usage "--uuid: '123e4567-e89b-42d3-a456-42661417400g' is not a UUID" \
	--uuid=123e4567-e89b-42d3-a456-42661417400g
usage "--mem-limit 0 is out of range; use 1 to 9223372036854775807" --mem-limit=0
usage "--mem-limit: '-1' is not a size$size_rule" --mem-limit=-1
usage "--chunksize: '1x' is not a size$size_rule" --chunksize=1x

# A missing value at the end of the command line.
expect_usage nsplit "option '-j' needs a value: -j N" core new -j
expect_usage nsplit "option '--compress' needs a value: --compress=NAME[:LEVEL]" core new --compress
absent new
