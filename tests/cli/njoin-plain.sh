#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A plain core in place of the members: the same results as with the set that a capture of it makes,
# byte for byte with one thread.  What is missing, and what such a file cannot be used for.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

python3 -B "$srcdir/tests/readers/core.py" core
mkdir d

# kdump STATUS FILE MEMBER...: exports to d/FILE
kdump() {
	status=$1
	file=$2
	shift 2
	expect_status "$status" njoin -q -j1 --format=kdump --compress="$codec" -o "d/$file" "$@"
}

for codec in lzo snappy zlib zstd; do
	have_codec $codec || continue
	rm -f a raw d/*
	nsplit -q -j1 -C $codec core a
	nsplit -q -j1 --raw core raw
	kdump 0 plain core
	expect_err ""
	kdump 0 set a
	kdump 0 raw raw
	same d/plain d/set
	same d/plain d/raw
done
codec=lzo

# With several threads, the pages are in any order.
if have_codec zlib; then
	rm d/*
	expect_status 0 njoin -q -j1 --format=kdump --compress=zlib -o d/one core
	expect_status 0 njoin -q -j4 --format=kdump --compress=zlib -o d/four core
	python3 "$srcdir/tests/cli/kdump-pages.py" d/one d/four || fail "with four threads"
fi
rm -f d/*
expect_status 0 njoin -q --format=kdump -o d/0 -o d/1 core
expect_err ""
expect_status 0 njoin --progress=always --format=kdump -o d/new core
grep -q 'njoin: exported 1\.9 MiB in ' err || fail "the summary: $(cat err)"
expect_status 0 njoin -q --salvage --format=kdump -o d/salvaged core
rm d/*

# Holes are zeros.  The last hole reaches the end, which is not that of a page.
cp core holes
truncate -s 8000000 holes
head -c 5000 core >> holes
truncate -s 9000001 holes
cp --sparse=never holes data
kdump 0 holes holes
kdump 0 data data
same d/holes d/data
rm d/* data holes

# --list and --dmesg.
rm -f a b
nsplit -q --chunksize=64K core a b
expect_status 0 njoin --list a b
grep -v '^records: not checked' out > want
expect_status 0 njoin --list core
expect_err ""
same out want
expect_status 0 njoin --list --json a b
cp out want
expect_status 0 njoin --list --json core
same out want
if [ -x "$builddir/tests/unit/make_log_core" ]; then
	make_core log
	nsplit -q ring r
	expect_status 0 njoin --dmesg r
	cp out want
	expect_status 0 njoin --dmesg ring
	expect_err ""
	same out want
	head -c 70000 ring > short
	nsplit -q short s
	expect_status 3 njoin --dmesg s
	cp out want
	cp err want.err
	expect_status 3 njoin --dmesg short
	same out want
	same err want.err
	rm -f s
fi

# Cut short: the last 100 pages are missing.
size=$(wc -c < core)
head -c $((size - 409600)) core > short
nsplit -q -c -j1 short s
kdump 3 set s
cp err want.err
kdump 3 plain short
expect_err "njoin: short: cut short: it ends at byte $((size - 409600)), but its segments at byte $size
njoin: missing: 100 pages of 4096 bytes"
tail -n 1 err | cmp - want.err || fail "as a set: $(cat want.err)"
same d/plain d/set
expect_status 3 njoin --list s
grep -v '^records: not checked' out > want
expect_status 3 njoin --list short
same out want
head -c 4000 core > short
expect_status 1 njoin --list short
expect_err "njoin: the notes extend beyond the 4000 bytes of the source"
rm d/*

# What a plain core cannot be used for.
use="njoin reads it with --format=kdump, --list or --dmesg"
for option in --verify --info "--info --json" "-o d/new" "-o -" "--salvage -o d/new"; do
	# shellcheck disable=SC2086 # several options
	expect_status 2 njoin $option core
	expect_err "njoin: core: is an ELF file, not a member of a capture; $use"
	expect_out ""
done
# One that nothing of njoin reads; nor does crash read a capture of it.
{ printf '\177ELF\2\2\1'; head -c 70000 /dev/zero; } > big
for option in --verify --info "-o d/new" "--salvage -o d/new"; do
	# shellcheck disable=SC2086 # several options
	expect_status 2 njoin $option big
	expect_err "njoin: big: is an ELF file, not a member of a capture, and njoin cannot read it: unsupported source: a big-endian ELF file"
done
expect_status 0 nsplit big d/a
! grep 'to open it' err || fail 'a hint for crash'
rm big d/a
expect_status 1 njoin --list core core
expect_err "njoin: core: not a member of an nsplit set: it is an ELF file
njoin: core: not a member of an nsplit set: it is an ELF file
njoin: no member can be read"
for members in "a core" "core a"; do
	# shellcheck disable=SC2086 # several members
	expect_status 1 njoin -q --format=kdump -o d/new $members
	expect_err "njoin: core: not a member of an nsplit set: it is an ELF file"
done
mkfifo pipe
cat core > pipe 2> cat.err &
expect_status 1 njoin --format=kdump -o d/new pipe
expect_err "njoin: pipe: not a member of an nsplit set: it is an ELF file"
wait $! || :
expect_status 1 njoin --dmesg - < core
expect_err "njoin: standard input: not a member of an nsplit set: it is an ELF file"
ln core again
for output in core again; do
	expect_status 2 njoin --overwrite-dumps --format=kdump -o $output core
	expect_err "njoin: $output: is the source; nothing was written; choose another output"
	expect_status 2 njoin --overwrite-dumps --dmesg -o $output core
	expect_err "njoin: $output: is the source; nothing was written; choose another output"
done

cp core large
if truncate -s 1P large 2> truncate.err; then
	expect_status 2 njoin --list large
	expect_err "njoin: large: has 1.0 PiB, but a plain core or a dump can have at most 256.0 TiB"
fi
rm large

# Of /proc/vmcore, offline and poisoned pages are not read: an export leaves them out at every level.
make_core kinds
ln -s "$builddir/nsplit" makedumpfile
echo 22536192 16384 > deadly
echo 22945792 4096 >> deadly
marked="left out: offline 4 pages (16.0 KiB), poisoned 1 page (4.0 KiB)"
for level in 0 1 31; do
	as_vmcore kinds njoin --progress=never --format=kdump -d $level -o d/new kinds 2> err || fail "-d $level: $(cat err)"
	grep -q '^njoin: left out: .*offline 4 pages (16.0 KiB), poisoned 1 page (4.0 KiB)$' err || fail "$(cat err)"
	njoin --list --json d/new > list || fail "$(cat list)"
	[ $level = 31 ] || grep -q '"present": 8315,$' list || fail "-d $level: $(cat list)"
	as_vmcore kinds ./makedumpfile --split -l -d $level kinds d/0 d/1 > out 2> err || fail "--split -d $level: $(cat err)"
	rm d/*
done
as_vmcore kinds njoin --progress=never --format=kdump -o - kinds > flat 2> err || fail "to a stream: $(cat err)"
head -n 1 err > told
echo "njoin: $marked" > want
same told want
as_vmcore kinds njoin -q --list kinds > list || fail "--list: $(cat list)"
# Marks that are not believed: these pages are read when all others are in the file, which has no name of its own yet.
sed 's/NUMBER(PG_private)=14/NUMBER(PG_private)=19/' kinds > marks
[ ! -e touched ] || fail "$(cat touched)"
status=0
as_vmcore marks njoin --format=kdump -o d/new marks 2> err || status=$?
[ "$status" = 137 ] || fail "nobody has read these pages: exit status $status"
grep -q '^njoin: offline pages are read, after all others: only 0 of the 16 pages of the kernel image' err &&
	grep -qF "njoin: d/new: pages that may stop this machine are read now; the others are in $(echo d/new.*)" err ||
	fail "$(cat err)"
expect_status 3 njoin --list --json d/new.*
grep -q '"lost": 5$' out || fail "what is left: $(cat out)"
rm d/*
NSPLIT_DEADLY_SPARE=1 as_vmcore marks njoin -q --format=kdump -o d/new marks || fail "not all pages are read"
njoin -q -j1 --format=kdump -o d/other marks
njoin -q -o joined d/new --format=elf
njoin -q -o other d/other --format=elf
same joined other
rm d/*
# ELF files that are no cores: a program, and one of a 32-bit machine.
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0' > elf
head -c 100 /dev/zero >> elf
expect_status 2 njoin --list elf
expect_err "njoin: unsupported source: an ELF file, but not a core"
printf '\177ELF\1' > elf
head -c 100 /dev/zero >> elf
expect_status 2 njoin --format=kdump -o d/new elf
expect_err "njoin: unsupported source: a 32-bit ELF file"
[ -z "$(ls -A d)" ] || fail "a file is left: $(ls -A d)"
