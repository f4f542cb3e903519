#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# makedumpfile -d LEVEL,LEVEL and -L SIZE: what is written if there is no space.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"
need python3

make_core kinds
make_original
expect_status 0 nsplit -q -d 31 --format=kdump kinds want
expect_status 0 nsplit -q -d 1 --format=kdump kinds most

# full FILE REASON: this was the end of a dump that did not fit, or, without REASON, that has reached the size of -L
full() {
	end="the limit of SIZE is reached"
	[ -z "$2" ] || end="no output has space left"
	[ -z "$2" ] || echo "makedumpfile: $1: $2; SIZE kept"
	echo "makedumpfile: saved: PAGES; $end
makedumpfile: missing: SIZE; njoin --verify lists the pages"
}

# told_full TEXT: like told, without the amounts
told_full() {
	sed -i 's/; [0-9.]* [KM]iB kept/; SIZE kept/; s/: [0-9.]* [KM]iB in total; complete layers: [0-9]/: SIZE/
		s/saved: .*;/saved: PAGES;/; s/limit of [0-9.]* [KM]iB/limit of SIZE/
		/^makedumpfile: missing: bytes/d' err
	told "$1"
}

# part FILE OTHER: it has some pages of the other dump, and is marked as incomplete
part() {
	python3 -B "$srcdir/tests/cli/kdump-pages.py" "$1" "$2" some > lib.pages 2>&1 || fail "$1: $(cat lib.pages)"
	expect_status 3 njoin --info "$1"
	grep -q ', marked as incomplete$' out || fail "$1: $(cat out)"
}

retry="Retry to create a dumpfile by dump_level(31)."

# levels FILE REASON ARGUMENT...: the second level fits
levels() {
	file=$1 reason=$2
	shift 2
	expect_status 0 makedumpfile "$@" -d 1,31 kinds "$file"
	told_full "$(full "$file" "$reason")"
	expect_out "$retry
$(saved "$file")"
	same_dump "$file" want
	[ "$(stat -c %a "$file")" = 600 ] || fail "its mode is $(stat -c %a "$file")"
	rm "$file"
}

levels new "" -L 25000000
levels new "" -L 25000000 --num-threads 3
expect_status 0 makedumpfile -L 40M -d 1,31 kinds new
told ""
expect_out "$(saved new)"
same_dump new most
rm new

# The last level does not fit either.
expect_status 1 makedumpfile -L 20000000 -d 1,16,31 kinds new
told_full "$(full new "")
$(full new "")
$(full new "")"
expect_out "Retry to create a dumpfile by dump_level(16).
$retry
$failed"
part new want
[ "$(wc -c < new)" -le 20000000 ] || fail "$(wc -c < new) bytes"
[ "$(wc -c < new)" -gt 18000000 ] || fail "$(wc -c < new) bytes"

# -f writes over it, and only what does not fit is tried again.
expect_status 1 makedumpfile -f -L 10M -d 31 kinds new
told_full "$(full new "")"
expect_out "$failed"
part new want
rm new
expect_status 1 makedumpfile -d 1,31 kinds nowhere/new
! grep -q Retry out || fail "$(cat out)"

# Not even the headers fit.
expect_status 1 makedumpfile -L 10000 -d 31 kinds new
told "makedumpfile: new: the limit is too small even for its headers; given up
makedumpfile: nothing was captured: the limit of 9.8 KiB is reached"
expect_out "$failed"
absent new

# ELF has no such mark.  With one CPU, the pages are written in the order of the file, until no more fit.
expect_status 1 taskset -c "$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')" makedumpfile -E -L 10M -d 31 kinds new
grep -qx "makedumpfile: the dump is incomplete, and nothing in it says so; pages that are missing are zeros" err ||
	fail "$(cat err)"
rm new
# In a pipe, only one level can be written.
expect_status 1 makedumpfile -F -L 10M -d 31,1 kinds
told_full "$(full "" "")
$failed"

# A full file system.
[ "$(id -u)" -eq 0 ] || skip "the rest requires root, to mount a file system"
mkdir small
mount -t tmpfs -o size=28m tmpfs small 2> mount.err || skip "no tmpfs: $(cat mount.err)"
clean() {
	umount "$lib_dir/small" || :
	lib_clean
}
trap clean EXIT
levels small/new "No space left on device"
head -c 12000000 kinds > small/other
expect_status 1 makedumpfile -d 1,31 kinds small/new
told_full "$(full small/new "No space left on device")
$(full small/new "No space left on device")"
expect_out "$retry
$failed"
part small/new want
