#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin reads kdump-compressed dumps: what it prints of them, and makes of them.  Here they are its own;
# tests/readers has those of makedumpfile.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3
have_codec zlib || skip "this build has no zlib"

python3 -B "$srcdir/tests/readers/core.py" core
expect_status 0 njoin -q --format=kdump --compress=zlib -o dump core
mkdir d

# same_pages FILE FILE: with pages that are packed with zlib
same_pages() {
	python3 "$srcdir/tests/cli/kdump-pages.py" "$1" "$2" > told 2>&1 || fail "$1 and $2: $(cat told)"
}

# --- what is printed

expect_status 0 njoin --info dump
expect_err ""
size=$(wc -c < dump)
sed "s/, $size bytes ([^)]*)/, SIZE/" out > info
expect_status 0 cat info
expect_out "dump: kdump-compressed, version 6, zlib, level 0
file: dump, SIZE
pages: 480 of 4096 bytes, 0 of them missing
memory: 488 pages, 8 of them not in the dump
pages: not unpacked; njoin --verify does that
complete: yes"
expect_status 0 njoin --info --json dump
python3 - << END || fail "--info --json: $(cat out)"
import json
told = json.load(open('out'))
assert told == {
    'schema': 1, 'form': 'kdump-compressed', 'version': 6, 'split': False, 'codec': 'zlib', 'level': 0,
    'marked_incomplete': False, 'block_size': 4096, 'excluded_vmemmap': False, 'erased_told': True,
    'files': [{'name': 'dump', 'bytes': $size, 'flattened': False, 'cut': False}],
    'erased': [], 'page_size': 4096, 'pages': 480, 'missing_pages': 0, 'memory_pages': 488, 'pages_checked': False, 'complete': True}
END

# The same core, but for the headers that it is read with.
expect_status 0 njoin --list core
grep -v -e '^core: ' -e '^ ' out > want
expect_status 0 njoin --list dump
expect_err ""
grep -v -e '^core: ' -e '^dump: ' -e '^file: ' out > got
same got want
grep -q '^core: x86_64, 1970176 bytes (1.9 MiB), 4 segments$' out || fail "--list: $(cat out)"
expect_status 0 njoin --list --json dump
python3 - << END || fail "--list --json: $(cat out)"
import json
told = json.load(open('out'))
assert told['dump']['form'] == 'kdump-compressed' and told['dump']['files'][0]['bytes'] == $size
assert told['pages'] == {'memory': 488, 'present': 480, 'lost': 0} and told['complete']
assert told['version'] == '#1 SMP' and told['segments'] == []
END

# Without VMCOREINFO, the headers of the dump say what is known.
python3 - << END
import struct
data = bytearray(open('dump', 'rb').read())
for at in range(32, 64, 8):
    struct.pack_into('<Q', data, 4096 + at, 0)
open('bare', 'wb').write(data)
END
expect_status 0 njoin --list bare
grep -qx 'kernel: 6.1.0-test #1 SMP' out || fail "--list without VMCOREINFO: $(cat out)"
grep -qx 'page size: 4096 bytes' out || fail "--list without VMCOREINFO: $(cat out)"
expect_status 0 njoin --list --json bare
python3 - << END || fail "--list --json without VMCOREINFO: $(cat out)"
import json
told = json.load(open('out'))
assert not told['vmcoreinfo'] and told['release'] == '6.1.0-test' and told['page_size_told']
END
expect_status 2 njoin -q -d 16 -o d/bare bare
expect_err "njoin: the core has no VMCOREINFO: it is not a vmcore, or its kernel was built without support for crash \
dumps"
expect_status 0 njoin -q --format=elf -o elf bare
expect_status 0 njoin -q -o d/bare bare
expect_status 0 njoin --list d/bare
grep -qx 'kernel: 6.1.0-test #1 SMP' out || fail "a new dump without VMCOREINFO: $(cat out)"
expect_status 0 njoin -q --format=elf -o d/elf d/bare
same d/elf elf
rm d/* elf

expect_status 0 njoin --progress=never --verify dump
expect_err ""
expect_out ""
expect_status 0 njoin --progress=always --verify dump
grep -q 'njoin: verified 1\.9 MiB in ' err || fail "the summary: $(cat err)"

# --- what is made

# Pages are copied, whatever the order of the segments was; then everything is the same.
expect_status 0 njoin --progress=never -j1 -o d/one dump
expect_err ""
same_pages d/one dump
expect_status 0 njoin -q -j1 -o d/two d/one
same d/one d/two
expect_status 0 njoin -q -j4 -o d/four dump
same_pages d/four dump
rm d/*

# Another codec, and back.
for codec in lzo snappy zstd; do
	have_codec $codec || continue
	expect_status 0 njoin -q --compress=$codec -o d/packed dump
	expect_status 0 njoin --info d/packed
	grep -q "^dump: kdump-compressed, version 6, $codec, level 0\$" out || fail "$codec: $(cat out)"
	expect_status 0 njoin -q --verify d/packed
	expect_status 0 njoin -q --compress=zlib:9 -o d/again d/packed
	same_pages d/again dump
	rm d/*
done

# Several files, which are read in any order.
expect_status 0 njoin -q -o d/0 -o d/1 -o d/2 dump
expect_status 0 njoin --info d/2 d/0 d/1
grep -c '^file: d/[012], .*, physical 0x' out > count
expect_status 0 cat count
expect_out 3
expect_status 0 njoin -q --verify d/0 d/1 d/2
expect_status 0 njoin -q -o d/joined d/1 d/2 d/0
same_pages d/joined dump
expect_status 3 njoin -q -o d/part d/0 d/2
grep -v '^njoin: missing: ' err > other
expect_status 0 cat other
expect_out "njoin: d/0: belongs to a split dump; not all of its files were given"
expect_status 3 njoin --info d/0 d/2
grep -q '^pages: 480 of 4096 bytes, [1-9][0-9]* of them missing$' out || fail "without a file: $(cat out)"
expect_status 2 njoin -q -o d/new d/0 d/0
expect_err "njoin: d/0: was given twice"
# The pages of the other file are absent.
python3 -B "$srcdir/tests/cli/kdump-pages.py" d/part dump some > part-pages 2>&1 || fail "a part: $(cat part-pages)"
# A file of which nothing is left, or only its second header is lost: the others are read.
: > d/empty
head -c 100000 /dev/zero > d/zeros
cp d/1 d/second
dd if=/dev/zero of=d/second bs=4096 seek=1 count=1 conv=notrunc 2> dd.err || fail "dd: $(cat dd.err)"
# Nothing is said of what would be used otherwise: one byte of the signature is wrong, too.
printf X | dd of=d/second bs=1 seek=3 conv=notrunc 2> dd.err || fail "dd: $(cat dd.err)"
for lost in "empty: cut short: the dump ends at byte 0, before its first page" \
	"zeros: damaged: the header of the dump" "second: damaged: the second header of the dump"; do
	for option in "" --salvage; do
		# shellcheck disable=SC2086 # an option or none
		expect_status 3 njoin -q $option -o d/new d/${lost%%:*} d/0 d/2
		grep -qx "njoin: d/$lost" err || fail "$lost: $(cat err)"
		grep -q "what fits the rest" err && fail "of a file that is not used: $(cat err)"
		python3 -B "$srcdir/tests/cli/kdump-pages.py" d/new dump some > pages 2>&1 || fail "$lost: $(cat pages)"
		same pages part-pages
		rm d/new
	done
done
expect_status 2 njoin -q -o d/new d/0 dump
expect_err "njoin: dump: is not of the same split dump as d/0"
rm d/*

# An ELF core of the pages that it has, from which the same dump can be made.
expect_status 0 njoin -q --format=elf -o elf dump
expect_status 0 njoin -q --format=kdump --compress=zlib -o d/new elf
same_pages d/new dump
expect_status 0 njoin -q --format=elf --range=0:4096 -o d/head dump
head -c 4096 elf | cmp - d/head || fail "--range"
expect_status 2 njoin -q --range=0:4096 -o d/other dump
expect_err "njoin: dump: is a dump; --range of a dump requires --format=elf"
rm d/* elf

# More sequences of pages than an ELF core may have: every other page frame is in the dump.
for frames in 131070 131072; do
	python3 - $frames << 'END'
import struct
import sys
frames, page = int(sys.argv[1]), 4096
data = bytearray(open('dump', 'rb').read())
head = data[:page * (1 + struct.unpack_from('<I', data, 432)[0])]
blocks = -(-frames // 8 // page)
struct.pack_into('<I', head, 436, 2 * blocks)
struct.pack_into('<I', head, 440, frames)
struct.pack_into('<Q', head, page + 96, frames)
bits = [bytes([byte]) * (blocks * page) for byte in (0xff, 0x55)]
at = len(head) + 2 * blocks * page
descriptor = struct.pack('<QIIQ', at + 24 * (frames // 2), page, 0, 0)
open('many', 'wb').write(head + bits[0] + bits[1] + descriptor * (frames // 2) + b'x' * page)
END
	expect_status 0 njoin --info many
	if [ $frames -le 131070 ]; then
		expect_status 0 njoin -q --overwrite-dumps --format=elf -o elf many
		expect_status 0 njoin --list elf
		continue
	fi
	expect_status 2 njoin -q --format=elf -o d/new many
	expect_err "njoin: many: an ELF core of it would have 131073 program headers, and one with more than 131072 \
cannot be read; leave out --format=elf"
	expect_status 0 njoin -q -o d/new many
done
rm d/* elf many

# --- kernels

if [ -x "$builddir/tests/unit/make_log_core" ]; then
	make_core log
	expect_status 0 njoin --dmesg ring
	cp out want
	expect_status 0 njoin -q --format=kdump -o d/ring ring
	expect_status 0 njoin --dmesg d/ring
	expect_err ""
	same out want
	# Its log is complete, whatever else is not.
	python3 - << 'END'
data = bytearray(open('d/ring', 'rb').read())
data[424] |= 8
open('d/ring', 'wb').write(data)
END
	expect_status 3 njoin --info d/ring
	expect_status 0 njoin --dmesg d/ring
	expect_err ""
	same out want
	rm d/*
fi
if [ -x "$builddir/tests/unit/make_kinds_core" ]; then
	make_core kinds
	python3 -B "$srcdir/tests/cli/page-tables.py" kinds tabled
	expect_status 0 njoin -q --format=kdump --compress=zlib -o kdump tabled
	expect_status 0 njoin --list tabled
	grep -e '^pages: ' -e '^class: ' -e '^kept: ' out > want
	expect_status 0 njoin --list kdump
	grep -e '^pages: ' -e '^class: ' -e '^kept: ' out > got
	[ "$(wc -l < want)" -eq 20 ] || fail "--list: $(cat want)"
	same got want
	expect_status 0 njoin -q -d 31 -o new kdump
	cp new small
	python3 -B "$srcdir/tests/cli/kdump-level.py" tabled class new 31 cache private user free > told 2>&1 ||
		fail "level 31: $(cat told)"
	# It cannot become one of a lower level.
	expect_status 0 njoin --list small
	sed -n 's/^kept: level \([0-9]*\) *\([0-9]*\) .*/\1 \2/p' out > got
	sed -n 's/^kept: level \(31\) *\([0-9]*\) .*/\1 \2/p' want > kept
	[ -s kept ] || fail "--list: $(cat want)"
	same got kept
	expect_status 0 njoin -q -d 31 -o d/again small
	same_pages d/again small
	# What is not there cannot be kept; pages of zeros are there.
	expect_status 2 njoin -q -d 17 -o d/new small
	expect_err "njoin: small: was made with dump level 31, so pages that are asked for are not there; use a level \
that leaves them out, too, such as 30"
	expect_status 0 njoin -q --exclude=free -o d/free kdump
	expect_status 2 njoin -q -d 8 -o d/new d/free
	expect_err "njoin: d/free: was made with dump level 16, so pages that are asked for are not there; use a level \
that leaves them out, too, such as 24"
	expect_status 0 njoin --list d/free
	sed -n 's/^kept: level \([0-9]*\) .*/\1/p' out | tr '\n' ' ' > got
	[ "$(cat got)" = "17 23 25 31 " ] || fail "--list: levels $(cat got)"
	expect_status 0 njoin -q -d 25 -o d/fewer d/free
	expect_status 0 njoin -q -d 0 -o d/all kdump
	same_pages d/all kdump
	rm d/*
fi

# --- what is refused

ln dump link
for output in dump link; do
	expect_status 2 njoin -q --overwrite-dumps -o $output dump
	expect_err "njoin: $output: is the source; nothing was written; choose another output"
done
expect_status 2 njoin -q -o core dump
expect_err "njoin: core: is a core; use --overwrite-dumps to overwrite it"
printf 'KDUMP   \1\0\0\0' > short
expect_status 1 njoin -q -o d/new short
expect_err "njoin: short: not a member of an nsplit set: it is a kdump-compressed dump"
head -c 5000 /dev/zero >> short
expect_status 1 njoin --list short
expect_err "njoin: short: damaged: the header of the dump"
mkfakevmcore -s 100000 fake
nsplit -q fake a
expect_status 1 njoin -q -o d/new a dump
expect_err "njoin: dump: not a member of an nsplit set: it is a kdump-compressed dump"
# What does not belong to a dump is named, not the dump.
expect_status 0 njoin -q -o d/0 -o d/1 dump
echo text > text
: > empty
mkfifo pipe
for option in "-o d/new" --info "--salvage -o d/new"; do
	# shellcheck disable=SC2086 # an option and its value
	refused() {
		status=$1 text=$2
		shift 2
		expect_status "$status" njoin -q $option "$@"
		expect_err "njoin: $text"
		absent d/new
	}
	refused 1 "text: is neither a dump, as d/0 is, nor a member of an nsplit set" d/0 d/1 text
	refused 1 "d: Is a directory" d/1 d d/0
	refused 2 "pipe: is a stream, and cannot be read together with the dump d/0; store it in a file first" d/0 pipe
done
cat dump > pipe &
expect_status 1 njoin -q -o d/new pipe
expect_err "njoin: pipe: not a member of an nsplit set: it is a kdump-compressed dump; a dump that comes through a \
pipe must be standard input, and be given alone as -"
wait
rm d/*
[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"
