#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# makedumpfile -F and -R: flattened dumps, complete, cut, and what is none; and --split and --reassemble.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"
need python3

make_core kinds
have_codec zlib || skip "this build has no zlib"

# flat ARGUMENT...: writes the file flat
flat() {
	expect_status 0 makedumpfile -F "$@" kinds
	told "$(saved STDOUT)"
	mv out flat
}

# compared FILE PATTERN: its pages are those of the file want; the pattern is for their numbers
compared() {
	python3 -B "$srcdir/tests/cli/kdump-compare.py" "$1" want > lib.pages 2>&1 || fail "$1: $(cat lib.pages)"
	grep -qx "$2" lib.pages || fail "$1: $(cat lib.pages)"
}

# With each codec the pages stay as they are.
for pair in raw: zlib:-c lzo:-l snappy:-p zstd:-z; do
	codec=${pair%:*} option=${pair#*:}
	have_codec "$codec" || continue
	# shellcheck disable=SC2086 # none or one word
	expect_status 0 makedumpfile $option -d 31 kinds want
	# shellcheck disable=SC2086
	flat $option -d 31
	expect_status 0 njoin -q --format=elf -o memory flat
	expect_status 0 makedumpfile -R new < flat
	told ""
	expect_out "$(saved new)"
	[ "$(stat -c %a new)" = 600 ] || fail "its mode is $(stat -c %a new)"
	expect_status 0 njoin --info new
	grep -qx "dump: kdump-compressed, version 6, $codec, level 31" out || fail "$codec: $(cat out)"
	expect_status 0 njoin -q --format=elf -o copy new
	same copy memory
	rm copy
	in_pipe cat flat | expect_status 0 makedumpfile -R piped
	pipes_ended_well
	told ""
	expect_status 0 njoin -q --format=elf -o copy piped
	same copy memory
	if [ "$codec" = raw ] || [ "$codec" = zlib ]; then
		same_dump flat want
		same_dump new want
	fi
	rm want new copy memory piped
done
# Of pages that are not compressed, one can be compared without a library.
expect_status 0 makedumpfile -d 31 kinds want
flat -d 31

# What follows the end is of the device that it was read from.
cp flat device
head -c 3000000 kinds >> device
expect_status 0 makedumpfile -R new < device
told ""
same_dump new want
# -f, and without it.
expect_status 1 makedumpfile -R new < flat
expect_err "makedumpfile: new: exists; use -f to overwrite it"
expect_out "$failed"
same_dump new want
expect_status 0 makedumpfile -f -R new < flat
same_dump new want
rm new device
# The input may also be a dump that is not flattened, or a member, as nsplit writes it if the source is not a core
# (makedumpfile-mistakes.sh).
expect_status 0 makedumpfile -R new < want
same_dump new want
rm new
nsplit -q kinds member
expect_status 0 makedumpfile -R new < member
expect_out "$(saved new)"
expect_status 0 njoin -q --format=kdump --compress=zlib -o whole kinds
expect_status 0 njoin -q --compress=zlib -o copy new
same_dump copy whole
rm new copy

# --- cut

# cut_at BYTES: what there is of it is restored, and marked; it ends at once
cut_at() {
	head -c "$1" flat > short
	expect_status 1 makedumpfile -R new < short
	sed -i '/^makedumpfile: missing: physical/d; s/missing: [0-9]* pages/missing: N pages/' err
	told "makedumpfile: standard input: cut short: the flattened dump has no end
makedumpfile: missing: N pages of 4096 bytes"
	expect_out "$failed"
	# There are descriptors in between.
	compared new 'both [45][0-9]*, first 0, second [1-9][0-9]*'
	expect_status 3 njoin --info new
	grep -q ', marked as incomplete$' out || fail "cut at $1: $(cat out)"
	rm new
}

cut_at 20000000
cut_at 24000000
cut_at $(($(wc -c < flat) - 20000))
# Nothing is there.
for bytes in 0 10 4096 5000 100000; do
	head -c $bytes flat > short
	expect_status 1 makedumpfile -R new < short
	told_lines=$(wc -l < err)
	[ "$told_lines" -ge 1 ] || fail "cut at $bytes: no word"
	expect_out "$failed"
	absent new
done

# Neither a dump nor anything like it.
for file in class /dev/null; do
	expect_status 1 makedumpfile -R new < $file
	[ -s err ] || fail "$file: no word"
	expect_out "$failed"
	absent new
done
# Standard input is closed.
expect_status 1 makedumpfile -R new <&-
[ -s err ] || fail "standard input is closed: no word"
absent new

# --- parts.  njoin keeps a page of offline memory that nsplit leaves out.

expect_status 0 makedumpfile --split -c -d 31 kinds a b c
told "makedumpfile: left out: cache 150 pages (600.0 KiB), private 10 pages (40.0 KiB), user 1124 pages (4.4 MiB), free \
1036 pages (4.0 MiB)"
expect_out "
The dumpfiles are saved to a, b, and c.

makedumpfile Completed."
[ "$(stat -c %a a b c | tr -d '\n')" = 600600600 ] || fail "the modes: $(stat -c %a a b c)"
expect_status 0 njoin -q -o copy b c a
compared copy 'both 5999, first 1, second 0'
rm copy
expect_status 0 makedumpfile --reassemble c a b new
told ""
expect_out "$(saved new)"
compared new 'both 5999, first 1, second 0'
# What exists is not touched; a part that is missing is not the end.
expect_status 1 makedumpfile --reassemble c a b new
expect_err "makedumpfile: new: exists; use -f to overwrite it"
expect_status 1 makedumpfile --split kinds other b
expect_err "makedumpfile: b: exists; use -f to overwrite it"
absent other
expect_status 1 makedumpfile -f --reassemble a c new
expect_out "$failed"
compared new 'both [1-9][0-9]*, first [01], second [1-9][0-9]*'
rm new
expect_status 1 makedumpfile --reassemble a class new
[ -s err ] || fail "--reassemble of no part: no word"
absent new
# Of a single part, its pages.
expect_status 1 makedumpfile --reassemble a nowhere new
expect_out "$failed"
compared new 'both [1-9][0-9]*, first 0, second [1-9][0-9]*'
expect_status 3 njoin --info new
grep -q ', marked as incomplete$' out || fail "one part: $(cat out)"
rm new
copies=$(find . -name 'new*')
[ -z "$copies" ] || fail "left behind: $copies"

refused "-R cannot be combined with -c, -l, -p, -z, -d, -E, -F, -x or -i" -R -d 31 new
refused "--reassemble cannot be combined with -c, -l, -p, -z, -d, -E, -F, -x or -i" --reassemble -c a b new
refused "--dry-run cannot be combined with -R" -R --dry-run new
refused "--dry-run cannot be combined with --reassemble" --reassemble --dry-run a new
refused "the name of DUMPFILE is missing" -R
refused "the name of the DUMPFILE to be made is missing" --reassemble new
refused "the name of a DUMPFILE is missing" --reassemble
refused "unexpected operand 'other'" -R new other
