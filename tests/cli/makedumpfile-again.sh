#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# makedumpfile with a dump as VMCORE: it gets a higher level, another codec, or another form.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"
need python3

make_core kinds
have_codec zlib || skip "this build has no zlib"
# Page tables, with which njoin finds the memory map.
python3 -B "$srcdir/tests/cli/page-tables.py" kinds tabled
expect_status 0 makedumpfile tabled raw.0
expect_status 0 makedumpfile -d 1 tabled raw.1
expect_status 0 makedumpfile -c -d 1 tabled zlib.1
expect_status 0 njoin -q --format=kdump -d 16 --compress=zlib -o zlib.16 tabled
expect_status 0 makedumpfile -F -c -d 1 tabled
mv out flat
expect_status 0 njoin -q --format=elf -o memory raw.0
expect_status 0 njoin -q --format=kdump -d 31 --compress=zlib -o want tabled
expect_status 0 njoin -q --format=elf -o memory.31 want

cache="cache 150 pages (600.0 KiB)"
private="private 10 pages (40.0 KiB)"
user="user 1124 pages (4.4 MiB)"
free="free 1036 pages (4.0 MiB)"

# header FILE CODEC LEVEL: what --info prints of it
header() {
	expect_status 0 njoin --info "$1"
	grep -qx "dump: kdump-compressed, version 6, $2, level $3" out || fail "$1: not $2, level $3: $(cat out)"
}

# again TEXT ARGUMENT...: a dump of a dump is written, and the text printed
again() {
	text=$1
	shift
	expect_status 0 makedumpfile "$@" new
	told "$text"
	expect_out "$(saved new)"
	[ "$(stat -c %a new)" = 600 ] || fail "$*: the mode is $(stat -c %a new)"
}

# compared FILE TEXT: new has the same pages, and this is what kdump-compare.py prints
compared() {
	python3 -B "$srcdir/tests/cli/kdump-compare.py" new "$1" > lib.pages 2>&1 || fail "$1: $(cat lib.pages)"
	[ "$(cat lib.pages)" = "$2" ] || fail "$1: $(cat lib.pages)"
}

# --- levels

# Without a codec, pages stay as they are.
for pair in raw.0:raw raw.1:raw zlib.1:zlib flat:zlib; do
	source=${pair%:*} codec=${pair#*:}
	before=$(cksum < "$source")
	again "makedumpfile: left out: $cache, $private, $user, $free" -d 31 "$source"
	header new "$codec" 31
	same_dump new want
	python3 -B "$srcdir/tests/cli/kdump-level.py" tabled class new 31 cache private user free > lib.level 2>&1 ||
		fail "$source: $(cat lib.level)"
	[ "$(cksum < "$source")" = "$before" ] || fail "$source was changed"
	rm new
done
size=$(wc -c < zlib.1)
again "" -d 1 zlib.1
header new zlib 1
same_dump new zlib.1
# nsplit lets more pages share their bytes.
[ "$(wc -c < new)" -le $((size * 101 / 100)) ] || fail "$(wc -c < new) bytes and not $size"
rm new
again "makedumpfile: left out: $free" -d 16 raw.0
header new raw 16
same_dump new zlib.16
rm new
# What was left out before does not come back: the new level is that of both.
again "makedumpfile: zlib.16: was made with dump level 16, which the new dump has, too
makedumpfile: left out: $free" zlib.16
header new zlib 16
same_dump new zlib.16
rm new
again "makedumpfile: zlib.16: was made with dump level 16, which the new dump has, too
makedumpfile: left out: $user, $free" -d 8 zlib.16
header new zlib 24
compared zlib.16 "both 6185, first 0, second 1124"
rm new
again "makedumpfile: left out: $cache, $private, $user, $free" -d 31 want
header new zlib 31
same_dump new want
rm new
# Of a list, the first.
again "makedumpfile: left out: $cache, $private, $user, $free" -d 31,1 raw.0
header new raw 31
same_dump new want
rm new
refused "-d: '32' is not a dump level, which is a number from 0 to 31" -d 32 raw.0 new

# --- codecs

for pair in zlib:-c lzo:-l snappy:-p zstd:-z; do
	codec=${pair%:*} option=${pair#*:}
	if ! have_codec "$codec"; then
		# It is larger, and better than none.
		expect_status 0 makedumpfile "$option" -d 31 zlib.1 new
		grep -q '; pages are not compressed$' err || fail "$option: $(cat err)"
		header new raw 31
		same_dump new want
		rm new
		continue
	fi
	for source in raw.0 zlib.1; do
		again "makedumpfile: left out: $cache, $private, $user, $free" "$option" -d 31 $source
		header new "$codec" 31
		[ "$(wc -c < new)" -lt 4000000 ] || fail "$option: $(wc -c < new) bytes"
		expect_status 0 njoin -q --format=elf -o copy new
		same copy memory.31
		rm new copy
	done
	again "" "$option" raw.0
	header new "$codec" 0
	expect_status 0 njoin -q --format=elf -o copy new
	same copy memory
	mv new "packed.$codec"
	rm copy
	again "" -c "packed.$codec"
	header new zlib 0
	same_dump new raw.0
	rm new
done
again "makedumpfile: left out: $cache, $private, $user, $free" -c -d 31 --num-threads 3 raw.0
same_dump new want
rm new

# --- forms

for source in raw.0 zlib.1 flat; do
	again "" -E $source
	same new memory
	rm new
done
again "makedumpfile: want: was made with dump level 31, which the new dump has, too" -E want
same new memory.31
rm new
# Pages are left out of a dump only.
again "" -E -d 1 raw.0
same new memory
rm new
for level in 31 16; do
	expect_status 1 makedumpfile -E -d $level raw.0 new
	expect_err "makedumpfile: -E: an ELF core of a dump has all of its pages; make a dump with -d, then an ELF core of \
that without -d"
	expect_out "$failed"
	absent new
done
expect_status 0 makedumpfile --split -d 31 -c raw.0 a b
told "makedumpfile: left out: $cache, $private, $user, $free"
expect_status 0 makedumpfile --reassemble b a new
same_dump new want
rm a b new

# Into a pipe: the original may do it.
need_no_original
for option in "" -c -E "-d 31"; do
	# shellcheck disable=SC2086 # none or several words
	expect_status 1 makedumpfile -F $option raw.0
	expect_err "makedumpfile: -F: a dump of a dump is written to a file only
$failed"
	expect_out ""
done
make_original
expect_status 0 makedumpfile -F -c -d 31 flat
expect_err "makedumpfile: -F: a dump of a dump is written to a file only; $original takes over"
expect_out "original: -F -c -d 31 flat"

# --- what is not written

for options in "" -c -E "-d 31" "--split -c"; do
	parts=new
	case $options in
	--split*) parts="new other" ;;
	esac
	# shellcheck disable=SC2086
	expect_status 0 makedumpfile --dry-run $options raw.0 $parts
	[ "$(tail -n 1 out)" = "makedumpfile Completed." ] || fail "--dry-run $options: $(cat out)"
	absent new other
done
expect_status 0 makedumpfile --dry-run --split -c -d 31 tabled new other
absent new other
echo precious > new
expect_status 0 makedumpfile -f --dry-run raw.0 new
expect_status 1 makedumpfile -c raw.0 new
expect_err "makedumpfile: new: exists; use -f to overwrite it"
[ "$(cat new)" = precious ] || fail "what existed was changed"
expect_status 0 makedumpfile -f -c -d 31 --message-level 0 raw.0 new
same_dump new want
[ "$(stat -c %a new)" = 600 ] || fail "-f: the mode is $(stat -c %a new)"
rm new

# What would be larger than -L is not kept: VMCORE still is.
for options in "" -c -E "-d 31" "-d 1,31"; do
	# shellcheck disable=SC2086
	expect_status 1 makedumpfile -L 1M $options raw.0 new
	told "makedumpfile: new: File too large"
	expect_out "$failed"
	absent new
done
expect_status 1 makedumpfile -L 1M --split raw.0 new other
expect_out "$failed"
absent new other
again "" -L 4M -c raw.0
rm new

# --- dumps that are not whole

head -c 20000000 raw.0 > part
expect_status 1 makedumpfile -c part new
[ -s err ] || fail "a part: no word"
expect_out "$failed"
expect_status 3 njoin --info new
grep -q ', zlib, level 0, marked as incomplete$' out || fail "a part: $(cat out)"
python3 -B "$srcdir/tests/cli/kdump-compare.py" new raw.0 > lib.pages 2>&1 || fail "a part: $(cat lib.pages)"
grep -q '^both [1-9][0-9]*, first 0, ' lib.pages || fail "a part: $(cat lib.pages)"
rm new
# Nothing but its headers.
head -c 5000 raw.0 > part
expect_status 1 makedumpfile -c part new
[ -s err ] || fail "headers: no word"
expect_out "$failed"
absent new
copies=$(find . -name 'new*' -o -name 'other*')
[ -z "$copies" ] || fail "left behind: $copies"
