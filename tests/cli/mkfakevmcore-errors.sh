#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mkfakevmcore does not overwrite files without -f, and reports errors.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# Existing files are kept, except with -f.
echo precious > file
expect_status 2 mkfakevmcore -s 10K file
expect_err "mkfakevmcore: file: already exists; use -f to overwrite"
[ "$(cat file)" = precious ] || fail "the file that existed was changed"
expect_status 0 mkfakevmcore -s 10K --overwrite-dumps file
expect_status 0 mkfakevmcore -s 10K --check file
ln -s file link
expect_status 2 mkfakevmcore -s 10K link
expect_err "mkfakevmcore: link: is a core; use --overwrite-dumps to overwrite it"
# A shorter core leaves nothing of a longer one after its end.
expect_status 0 mkfakevmcore -s 9K --overwrite-dumps link
expect_status 0 mkfakevmcore -s 9K --check file
expect_status 0 mkfakevmcore -s 10K /dev/null

# Outputs that fail.
expect_status 2 mkfakevmcore --overwrite-dumps .
expect_err "mkfakevmcore: .: is a directory; an output must be a file or a device"
expect_status 1 mkfakevmcore nowhere/file
expect_err "mkfakevmcore: nowhere/file: the directory nowhere does not exist"
if [ -c /dev/full ]; then
	expect_status 1 mkfakevmcore -s 10K /dev/full
	expect_err "mkfakevmcore: /dev/full: No space left on device"
	status=0
	mkfakevmcore --help > /dev/full 2> err || status=$?
	[ "$status" -eq 1 ] || fail "--help to a full disk: status $status"
	expect_err "mkfakevmcore: standard output: No space left on device"
fi
{ mkfakevmcore -s 10M - 2> err || echo $? > status; } | true
expect_err "mkfakevmcore: standard output: Broken pipe"
[ "$(cat status)" = 1 ] || fail "a broken pipe: status $(cat status)"
status=0
mkfakevmcore -s 10K - >&- 2> err || status=$?
[ "$status" -eq 1 ] || fail "a closed standard output: status $status"
expect_err "mkfakevmcore: standard output: Bad file descriptor"

# An incomplete file is removed, and replaces none.
status=0
(ulimit -f 1 && trap '' XFSZ && mkfakevmcore -s 3M part) 2> err || status=$?
[ "$status" -eq 1 ] || fail "a file over the limit: status $status"
expect_err "mkfakevmcore: part: File too large"
[ -z "$(ls part* 2> /dev/null)" ] || fail "an incomplete core was left"
echo precious > part
(ulimit -f 1 && trap '' XFSZ && mkfakevmcore -s 3M -f part) 2> err && fail "a file over the limit"
[ "$(cat part)" = precious ] && [ "$(ls part*)" = part ] || fail "an incomplete core has replaced a file"

# usage TEXT ARGUMENT...
usage() {
	expect_usage mkfakevmcore "$@"
	absent new
}

usage "no FILE given; use - for standard output"
usage "more than one FILE given" new other
usage "unknown option '--frob'" --frob new
usage "option '--size' needs a value: --size=SIZE" --size
usage "--size: 'x' is not a size$size_rule" --size=x new
usage "the size must be at least 8193: two pages of headers and a byte" -s 8192 new
usage "the size must be at least 8193: two pages of headers and a byte" -s 0 new
usage "the size must be at most 2 PiB" -s 3P new
usage "the block size must be a power of two from 4096 to 1048576" -b 5000 new
usage "the block size must be a power of two from 4096 to 1048576" -b 512 new
usage "the block size must be a power of two from 4096 to 1048576" -b 2M new
usage "the block size must be a power of two from 4096 to 1048576" -b 4294971392 new
usage "the pool must be a power of two, from one block to 1 TiB" -P 3M new
usage "the pool must be a power of two, from one block to 1 TiB" -b 1M -P 512K new
usage "-p 'rand' is not one of random, zero, same, text, mixed" -p rand new
usage "-C '50%' is not a number" -C 50% new
usage "-C 101 is out of range; use 0 to 100" -C 101 new
usage "a compressible share requires the pattern random or mixed" -p zero -C 5 new
usage "--seed '-1' is not a number" --seed=-1 new

help_fits mkfakevmcore
expect_status 0 mkfakevmcore --version
grep -q '^mkfakevmcore (nsplit) [0-9]' out || fail "--version gives no version"

# A core is no text.
if python3 -c 'import os; os.openpty()' 2> err; then
	cat > terminal.py << 'END'
import os, subprocess, sys

master, slave = os.openpty()
sys.exit(subprocess.run(['mkfakevmcore', '-s', '10K', '-'], stdout=slave).returncode)
END
	expect_status 2 python3 terminal.py
	expect_err "mkfakevmcore: standard output: is a terminal; refusing to write binary data to it"
fi
