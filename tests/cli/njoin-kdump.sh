#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin --format=kdump: what it refuses, with the exact messages and no file left, and which pages it
# lacks.  tests/unit/test_kdump_layers and tests/readers check the contents of the files.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

python3 -B "$srcdir/tests/readers/core.py" core
nsplit -q -c --stripe --chunksize=64K core a b
mkdir d

nothing_left() {
	[ -z "$(ls -A d)" ] || fail "a file is left: $(ls -A d)"
}

# usage TEXT ARGUMENT...
usage() {
	expect_usage njoin "$@"
	nothing_left
}

usage "--format must be elf or kdump, not 'vmcore'" --format=vmcore -o d/new a b
usage "--compress requires --format=kdump" --compress=lzo -o d/new a b
usage "more than one -o requires --format=kdump" -o d/new -o d/other a b
usage "--format requires -o" --format=kdump --verify a b
usage "--format requires -o" --format=kdump --info a b
usage "--format requires -o" --format=elf --verify a b
usage "--format requires -o" --list --format=elf a b
usage "--format requires -o" --dmesg --format=elf -o d/new a b
usage "no -o FILE given (or --verify, --info, --list or --dmesg)" --format=kdump a b
usage "--range cannot be combined with --format=kdump" \
	--range=0:4K --format=kdump -o d/new a b
usage "--compress must be lzo, lzohc, snappy, zlib or zstd, not 'lzma'" \
	--format=kdump --compress=lzma -o d/new a b
usage "--compress: codec 'lzo' takes no level" --format=kdump --compress=lzo:3 -o d/new a b
usage "--compress must be lzo, lzohc, snappy, zlib or zstd, not 'raw'" \
	--format=kdump --compress=raw -o d/new a b

mkfifo pipe

# refused STATUS TEXT ARGUMENT...: njoin refuses a valid command line
refused() {
	status=$1
	text=$2
	shift 2
	expect_status "$status" njoin -q --format=kdump "$@"
	expect_err "njoin: $text"
	expect_out ""
	nothing_left
}

refused 2 "d/new: was given twice" -o d/new -o d/new a b
refused 2 "d/../d/new: is the same file as d/new" -o d/new -o d/../d/new a b
refused 2 "a: is a member of the set; nothing was written; choose another output" -f -o d/new -o a a b
refused 2 "core: is a core; use --overwrite-dumps to overwrite it" -o core a b
refused 2 "10 outputs: the core's memory can be split into at most 9, because parts begin at multiples of 64 pages" \
	-o d/0 -o d/1 -o d/2 -o d/3 -o d/4 -o d/5 -o d/6 -o d/7 -o d/8 -o d/9 a b

# A source that is not a core, and a core without VMCOREINFO.
head -c 100000 core | tail -c 90000 > text
nsplit -q text t
refused 2 "unsupported source: not an ELF file" -o d/new t
sed 's/VMCOREINFO/VMCOREINFX/' core > other
[ "$(cmp core other | wc -l)" -eq 1 ] || fail "no VMCOREINFO in the core"
nsplit -q --chunksize=64K other f
refused 2 "the core has no VMCOREINFO: it is not a vmcore, or its kernel was built without support for crash dumps" -o d/new f

# These sources are refused before njoin looks for damage.
# spoil FILE OFFSET: damages one byte
spoil() {
	printf x | dd of="$1" bs=1 seek="$2" conv=notrunc 2> dd.err || fail "$(cat dd.err)"
}

cp f bad
spoil bad 200000
expect_status 1 njoin -q --verify bad
refused 2 "the core has no VMCOREINFO: it is not a vmcore, or its kernel was built without support for crash dumps" \
	--salvage -o d/new bad
cp b bad
spoil bad 20000
refused 2 "10 outputs: the core's memory can be split into at most 9, because parts begin at multiples of 64 pages" \
	--salvage -o d/0 -o d/1 -o d/2 -o d/3 -o d/4 -o d/5 -o d/6 -o d/7 -o d/8 -o d/9 a bad

# One file, two files, and the same two again.
expect_status 0 njoin -q --format=kdump -o d/one b a
expect_err ""
[ "$(head -c 8 d/one)" = "KDUMP   " ] || fail "d/one is not a kdump-compressed file"
expect_status 0 njoin -q --format=kdump -o d/0 -o d/1 b a
expect_status 0 njoin -q --overwrite-dumps --format=kdump --compress=lzo -o d/0 -o d/1 b a
expect_out ""
[ "$(ls d)" = "0
1
one" ] || fail "something else is left: $(ls d)"
rm d/*

# Too little space, simulated by a limit that needs no root: the first file reaches it first.
status=0
(ulimit -f 100 && trap '' XFSZ && exec njoin -q --format=kdump -o d/0 -o d/1 a b) 2> err || status=$?
[ "$status" -eq 1 ] || fail "files over the limit: status $status"
expect_err "njoin: d/0: File too large"
nothing_left

# The ELF form is the same whether --format=elf is given or not.
expect_status 0 njoin -q --format=elf -o d/elf b a
same d/elf core
rm d/elf

# A member is missing: with --salvage, its 128 pages are missing, except 16 of the kernel's image,
# which the core contains twice.
nsplit -q -c --stripe --chunksize=512K core c1 c2 c3
missing="njoin: member 1 of 3 (numbered 0 to 2) is missing
njoin: missing: bytes 524288 to 1048575 (512.0 KiB)
njoin: missing: 512.0 KiB in total"
expect_status 1 njoin -q --format=kdump -o d/new c1 c3
expect_err "$missing; nothing was written; use --salvage to write what is available"
nothing_left
expect_status 3 njoin -q --salvage --format=kdump -o d/new c1 c3
expect_err "$missing
njoin: missing: 112 pages of 4096 bytes"
rm d/new

# A record is damaged: 14 pages, and 2 of the image, which the memory around it also contains.
expect_status 1 njoin --verify a bad
damaged=$(sed -n 's/^njoin: \(bad: damaged.*\)/\1/p' err)
[ -n "$damaged" ] || fail "nothing is damaged"
refused 1 "$damaged" -o d/0 -o d/1 a bad
expect_status 3 njoin -q --salvage --format=kdump -o d/0 -o d/1 a bad
expect_err "njoin: $damaged
njoin: missing: bytes 65536 to 131071 (64.0 KiB)
njoin: missing: 64.0 KiB in total
njoin: missing: 14 pages of 4096 bytes"
rm d/*

# Only a duplicate that is not needed is damaged: the other members also hold the chunks of the second
# one.  Two captures form one set only if both are reproducible.
SOURCE_DATE_EPOCH=0
export SOURCE_DATE_EPOCH
uuid=00000000-0000-4000-8000-000000000001
nsplit -q -c --uuid=$uuid --stripe --chunksize=64K core s1 s2 s3
nsplit -q -c --uuid=$uuid --stripe --chunksize=64K core t1 /dev/full t3 2> full.err
unset SOURCE_DATE_EPOCH
cp s2 bad
spoil bad 20000
expect_status 1 njoin -q --verify t1 t3 bad
expect_status 0 njoin -q --salvage --format=kdump -o d/new t1 t3 bad
expect_err ""
rm d/new

# Pages that were unreadable when captured: the file was cut short meanwhile, by two pages of the last
# chunk.
cp core source
nsplit -q -c --chunksize=64K source pipe 2> err &
pid=$!
wait_for has_open $pid source
size=$(wc -c < core)
truncate -s "$((size - 8192))" source
cat pipe > member
expect_end 3 $pid "a source that was cut short"
for salvage in "" --salvage; do
	# shellcheck disable=SC2086 # may be empty
	expect_status 3 njoin -q $salvage --format=kdump -o d/0 -o d/1 member
	expect_err "njoin: unreadable when captured: bytes $((size - 8192)) to $((size - 1))
njoin: missing: 2 pages of 4096 bytes"
	rm d/0 d/1
done
