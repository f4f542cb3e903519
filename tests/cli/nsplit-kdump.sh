#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --format=kdump: page by page the same dump as njoin makes of members of the same level, in a file and in
# streams, with every engine; and what is said about it.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

make_core kinds
make_core log
have_codec zlib || skip "this build has no zlib"

# same_pages FILE PAGES: FILE has the pages of the file want, and their number is PAGES
same_pages() {
	python3 -B "$srcdir/tests/cli/kdump-pages.py" "$1" want > told 2>&1 || fail "$1: $(cat told)"
	[ "$(cat told)" = "$2 0" ] || fail "$1: pages: $(cat told)"
	rm "$1"
}

# made SOURCE: the file want becomes what njoin makes of members that are captured with the same options
made() {
	source=$1
	shift
	rm -f want
	nsplit -q "$@" "$source" member 2> err || fail "members: $(cat err)"
	expect_status 0 njoin -q --format=kdump --compress=zlib -o want member
	rm member
}

# dump OUTPUT OPTION...: captures the file source into a dump, without messages
dump() {
	output=$1
	shift
	expect_status 0 nsplit -q -C zlib --format=kdump "$@" "$source" "$output"
	expect_err "$warning"
}

# captured PAGES OPTION...: of the file source, as the file want
captured() {
	pages=$1
	shift
	dump new "$@"
	expect_out ""
	same_pages new "$pages"
	dump - "$@"
	cp out new
	same_pages new "$pages"
}

# captured_by_all PAGES OPTION...: likewise with each engine, and with many small chunks
captured_by_all() {
	for engine in -j1 -j4 --serial; do
		captured "$@" "$engine"
	done
	captured "$@" --chunksize=60K
	shift
	dump '|cat > new' "$@"
	same_pages new "$pages"
	expect_status 0 nsplit -q -C zlib --format=kdump "$@" "$source" null:
}

warning=
for level in 0:8320 1:8320 2:8165 16:7283 31:5999; do
	made kinds -d "${level%:*}"
	captured "${level#*:}" -d "${level%:*}"
done
captured_by_all 5999 -d 31
# Without a level, all pages are in it.
made kinds
captured 8320

# A class that is not believed is kept.
made doubted -d 31
why="pages that were to be left out are captured after all: user: 16 pointers in the kernel image, of 200, lead to such pages"
warning="nsplit: $why
nsplit: warning: $(echo "$why" | sed 's/are captured/were captured/')"
captured 7123 -d 31
warning=

# A core that does not describe its pages.
made ring
dump new
same_pages new 64
source=ring
why="nothing is left out: the core does not describe its pages: VMCOREINFO has no valid SIZE(page)"
warning="nsplit: warning: $why"
dump new -d 31
python3 -B "$srcdir/tests/cli/kdump-pages.py" new want > told 2>&1 || fail "ring: $(cat told)"
rm new
warning=

# Not compressed, which is the default.
made kinds -d 31
source=kinds
expect_status 0 nsplit -q -d 31 --format=kdump kinds new
expect_err ""
same_pages new 5999
# The block is the page, whatever the option says.
expect_status 0 nsplit -n -b 64K -d 31 --format=kdump kinds new
grep -qx 'codec: raw, blocks of 4096 bytes, chunks of 1048576' out || fail "-n: $(cat out)"
grep -qx 'form: kdump-compressed' out || fail "-n: $(cat out)"
absent new
dump new -b 64K -d 31
same_pages new 5999
expect_status 0 nsplit -n -d 31 --format=members kinds new
grep 'form:' out && fail "-n: $(cat out)"

# What existed is not touched without -f.
echo precious > new
expect_status 2 nsplit -q --format=kdump kinds new
expect_err "nsplit: new: already exists; use -f to overwrite"
[ "$(cat new)" = precious ] || fail "what existed was changed"
dump new -f -d 31
same_pages new 5999
# A longer file, whose bytes are not what is allocated for descriptors.
python3 -c 'open("new", "wb").write(b"x" * 40000000)'
dump new -f -d 31
same_pages new 5999

# Of a flattened dump that is cut, njoin restores what arrived, although the status in the header comes last.
dump - -d 31
head -c $(($(wc -c < out) * 9 / 10)) out > part
expect_status 3 njoin -q -o new part
expect_status 3 njoin --info new
grep -q ', marked as incomplete$' out || fail "cut: $(cat out)"
grep -q '^pages: 5999 of 4096 bytes, ' out || fail "cut: $(cat out)"
found=$((5999 - $(sed -n 's/^pages: .* bytes, \([0-9]*\) of them missing/\1/p' out)))
{ [ "$found" -gt 4600 ] && [ "$found" -lt 5999 ]; } || fail "cut: $(cat out)"
expect_status 3 njoin -q --verify new
rm part new

# When crash opens it: once the first layer is on the disk.
safe="the kernel's pages are on the disk, and crash can open the dump from now on"
for engine in -j1 -j4 --serial; do
	expect_status 0 nsplit "$engine" --progress=never -d 16 --format=kdump kinds new
	expect_err "nsplit: new: $safe"
	rm new
	expect_status 0 nsplit "$engine" -q -d 16 --format=kdump kinds new
	expect_err ""
	rm new
	expect_status 0 nsplit "$engine" --progress=never -d 16 --format=kdump kinds '|cat > new'
	expect_err ""
	rm new
done

# The key of the configuration file, which the command line overrides.
printf 'format = kdump\noutput = new\n' > conf
made kinds -d 31
expect_status 0 nsplit -q --config=conf -d 31 kinds
same_pages new 5999
expect_status 0 nsplit -q --config=conf --format=members kinds
closed new
expect_status 0 njoin -q --format=elf -o copy new
same copy kinds
rm copy new

# With each codec that the form knows; njoin decompresses them all.
expect_status 0 njoin -q --format=elf -o memory want
for codec in lzo snappy zstd zlib:9; do
	have_codec "${codec%:*}" || continue
	for engine in -j2 --serial; do
		expect_status 0 nsplit -q $engine -C $codec -d 31 --format=kdump kinds new
		expect_status 0 njoin -q --format=elf -o copy new
		same copy memory
		[ "$(wc -c < new)" -lt 4000000 ] || fail "$codec: $(wc -c < new) bytes"
		rm new copy
	done
done

# Memory at a high address: bitmaps have 8 MiB of zeros, which take no space in a file, and are not sent.
python3 -B "$srcdir/tests/cli/more-memory.py" kinds high 0.00390625 128
truncate -s 1M probe
rm -f new want
nsplit -q -d 31 high member
expect_status 0 njoin -qf --format=kdump --compress=zlib -o want member
rm member
expect_status 0 nsplit --serial -C zlib -d 31 --format=kdump --stats=stats high new
python3 -B "$srcdir/tests/cli/kdump-pages.py" new want > told 2>&1 || fail "high memory: $(cat told)"
if [ "$(du -k probe | cut -f 1)" -lt 512 ]; then
	[ "$(du -k new | cut -f 1)" -lt 8192 ] || fail "the dump of high memory takes $(du -k new) KiB"
	bytes=$(sed -n 's/^.*"bytes": \([0-9]*\),.*$/\1/p' stats | head -n 1)
	[ "$bytes" -lt 8388608 ] || fail "zeros are counted: $bytes bytes"
fi
nsplit -q --serial -C zlib -d 31 --format=kdump high - > flat
[ "$(wc -c < flat)" -lt 8388608 ] || fail "the flattened dump of high memory has $(wc -c < flat) bytes"
python3 -B "$srcdir/tests/cli/kdump-pages.py" flat want > told 2>&1 || fail "high memory, flattened: $(cat told)"
expect_status 0 njoin -q --verify flat
# The plan does not count them.
expect_status 0 nsplit -n -d 31 -C zlib --format=kdump high other
grep -q '^space: .*; the source has 36\.6 MiB, ' out || fail "$(cat out)"
# Where no hole can be made, zeros are written, also where no space can be reserved.
need_inject nsplit
for rule in ftruncate:new:2:ENOSPC 'ftruncate:new:2:EFBIG fallocate:new:1-:ENOSPC'; do
	rm -f log
	expect_status 0 injected "$rule" nsplit -q --overwrite-dumps --serial -C zlib -d 31 --format=kdump high new
	[ -s log ] || fail "$rule: nothing failed"
	python3 -B "$srcdir/tests/cli/kdump-pages.py" new want > told 2>&1 || fail "high memory, $rule: $(cat told)"
done
rm new flat
