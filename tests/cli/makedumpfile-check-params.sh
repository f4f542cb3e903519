#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# makedumpfile --check-params: silent about the command lines of distributions, with names that do not exist; and 1
# with a sentence about wrong ones.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"

# good ARGUMENT...
good() {
	expect_status 0 makedumpfile --check-params "$@"
	expect_err ""
	expect_out ""
	absent dumpfile
}

for options in '-l --message-level 7 -d 31' '-c --message-level 4 -d 31' '-z -d 31' '-l -d 31' '-c -d 16 --num-threads 8' \
	'-p -d 31' '-d 31' '' '-E -d 31' '-c -d 17,31' '-L 10G -l' '--message-level 31 -D' '-x vmlinux -c' \
	'--message-level 0' '--dry-run' '--non-mmap' '-f' '--show-stats' '--cyclic-buffer 1024 -c' '-b 4' \
	'-e --work-dir /tmp' '--num-threads 0' '--dump-dmesg' '--dump-dmesg --partial-dmesg'; do
	# shellcheck disable=SC2086 # several words
	good $options vmcore dumpfile
	# shellcheck disable=SC2086
	good vmcore dumpfile $options
done
for options in '-F -l --message-level 7 -d 31' '-F -c -d 31' '-F --message-level 8 --dump-dmesg' '-F -E' \
	'-F -c --num-threads 32 --message-level 7 -d 31'; do
	# shellcheck disable=SC2086
	good $options vmcore
	# shellcheck disable=SC2086
	expect_status 1 makedumpfile --check-params $options vmcore dumpfile
	sed -i 1q err
	expect_err "makedumpfile: unexpected operand 'dumpfile': -F writes to standard output"
	expect_out ""
done
# The original takes it for 0 without a word.
expect_status 0 makedumpfile --check-params -d foo vmcore dumpfile
expect_err "makedumpfile: -d: 'foo' is taken for 0, as by the original program"
expect_out ""
good -R dumpfile
good --reassemble a b dumpfile
good --split -c -d 31 vmcore a b
# Not even what exists is looked at.
echo precious > dumpfile
expect_status 0 makedumpfile --check-params -c vmcore dumpfile
expect_err ""
[ "$(cat dumpfile)" = precious ] || fail "what existed was changed"
rm dumpfile
# Nor standard input.
expect_status 0 makedumpfile --check-params -R dumpfile < /dev/null

refused "unknown option '--frob'" --frob vmcore dumpfile
refused "unknown option '-q'" -q vmcore dumpfile
refused "-d: '32' is not a dump level, which is a number from 0 to 31" -d 32 vmcore dumpfile
refused "--message-level: '32' is not a number from 0 to 31" --message-level 32 vmcore dumpfile
refused "-E cannot be combined with -c, -l, -p or -z: an ELF core is not compressed" -E -z vmcore dumpfile
refused "--num-threads cannot be combined with -E" --num-threads 4 -E vmcore dumpfile
refused "the name of DUMPFILE is missing" -l vmcore
refused "the name of VMCORE is missing" -l
refused "unexpected operand 'other'" vmcore dumpfile other
refused "--partial-dmesg requires --dump-dmesg" --partial-dmesg vmcore dumpfile
refused "--dry-run cannot be combined with --dump-dmesg" --dump-dmesg --dry-run vmcore dumpfile
refused "the name of DUMPFILE is missing" -R
refused "-R cannot be combined with -c, -l, -p, -z, -d, -E, -F, -x or -i" -R -c dumpfile
refused "-R cannot be combined with --reassemble" -R --reassemble dumpfile

# What only the original program does.
need_no_original
for options in '--config filter' '-X' '--vtop 1'; do
	# shellcheck disable=SC2086
	expect_status 1 makedumpfile --check-params $options vmcore dumpfile
	grep -q "^makedumpfile: ${options% *}: " err || fail "$options: $(cat err)"
	[ "$(wc -l < err)" -eq 1 ] || fail "$options: $(cat err)"
	expect_out ""
done
