#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin reads flattened dumps, and dumps from standard input: complete, and cut.  The end of a cut one is noticed
# at once.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3
have_codec zlib || skip "this build has no zlib"

python3 -B "$srcdir/tests/readers/core.py" core
expect_status 0 njoin -q -j1 --format=kdump --compress=zlib -o first core
expect_status 0 njoin -q -j1 -o dump first
mkdir d spool
TMPDIR=$(pwd)/spool
export TMPDIR

# flatten PIECE [reversed]: writes the file flat
flatten() {
	python3 "$srcdir/tests/cli/flatten.py" dump "$@" > flat
}

for pieces in 700 32768 "4096 reversed" 10000000; do
	# shellcheck disable=SC2086 # two arguments
	flatten $pieces
	expect_status 0 njoin --progress=never -j1 -o d/file flat
	expect_err ""
	same d/file dump
	in_pipe cat flat | expect_status 0 njoin --progress=never -j1 -o d/pipe -
	expect_err ""
	same d/pipe dump
	expect_status 0 njoin -q -j1 -o d/input - < flat
	same d/input dump
	# A file is not copied.
	expect_status 0 env TMPDIR=/nonexistent njoin -q --verify - < flat
	expect_status 0 njoin -q --verify flat
	expect_status 0 njoin --info flat
	grep -q '^file: flat, .*, flattened$' out || fail "--info: $(cat out)"
	rm d/*
done
pipes_ended_well

# A file of that name is another one.
mkdir named
for file in dump core; do
	cp $file named/-
	in_pipe cat flat | (cd named && expect_status 0 njoin --info -)
	grep -q '^file: standard input, .*, flattened$' named/out || fail "a file -: $(cat named/out)"
done
rm -r named
pipes_ended_well

# Standard input that is not flattened, and options that depend on what it is.
for what in flat dump; do
	in_pipe cat $what | expect_status 0 njoin -q -j1 -o d/new -
	same d/new dump
	in_pipe cat $what | expect_status 0 njoin --list -
	in_pipe cat $what | expect_status 0 njoin --info -
	grep -q '^file: standard input, ' out || fail "--info: $(cat out)"
	in_pipe cat $what | expect_status 0 njoin -q --verify -
	in_pipe cat $what | expect_status 0 njoin -q --compress=zlib -o d/zlib -
	python3 "$srcdir/tests/cli/kdump-pages.py" d/zlib dump || fail "packed again from $what"
	in_pipe cat $what | expect_status 0 njoin -q -o d/0 -o d/1 -
	expect_status 0 njoin -q --verify d/0 d/1
	in_pipe cat $what | expect_status 0 njoin -q --format=elf -o d/elf -
	in_pipe cat $what | expect_status 0 njoin -q --format=elf --range=0:4K -o d/head -
	in_pipe cat $what | expect_status 2 njoin -q --range=0:4K -o d/other -
	expect_err "njoin: standard input: is a dump; --range of a dump requires --format=elf"
	rm d/*
done
pipes_ended_well
# Bytes that come one after the other.
{ printf mak; sleep 0.1; printf edump; sleep 0.1; tail -c +9 flat; } | expect_status 0 njoin -q -j1 -o d/new -
same d/new dump
rm d/*
# A set comes through the same pipe.
expect_status 0 nsplit -q core a
in_pipe cat a | expect_status 0 njoin -q -o d/new -
same d/new core
rm d/*

# Cut anywhere: what was read is written, or nothing.
flatten 20000
size=$(wc -c < flat)
for at in 4096 10000 60000 100000 200000 $((size - 40000)) $((size - 17)) $((size - 1)); do
	head -c "$at" flat > short
	in_pipe cat short | expect_status "$([ "$at" -lt 20000 ] && echo 1 || echo 3)" njoin -q -j1 -o d/pipe -
	sed 's/standard input: /short: /' err > want
	expect_status "$([ "$at" -lt 20000 ] && echo 1 || echo 3)" njoin -q -j1 -o d/file short
	same err want
	if [ "$at" -lt 20000 ]; then
		expect_err "njoin: short: cut short: the flattened dump lacks a part of its headers or bitmaps"
		absent d/pipe d/file
		continue
	fi
	same d/pipe d/file
	grep -qx 'njoin: short: cut short: the flattened dump has no end' err || fail "cut at $at: $(cat err)"
	expect_status 3 njoin --info d/file
	grep -q ', marked as incomplete$' out || fail "cut at $at is said to be complete: $(cat out)"
	expect_status 3 njoin -q --verify short
	rm d/*
done
# As makedumpfile writes it: no piece has the padding behind the header, the notes and each bitmap.  Without the mark of the
# end, or behind a damaged header of a piece, what was read until then is there.
python3 - << 'END'
import struct
data = open('dump', 'rb').read()
block, sub, bitmaps = struct.unpack_from('<3I', data, 428)
frames, = struct.unpack_from('<Q', data, block + 96)
notes, size = struct.unpack_from('<2Q', data, block + 48)
bitmap1 = (1 + sub) * block
bitmap2 = bitmap1 + bitmaps // 2 * block
pages = bitmap1 + bitmaps * block
bits = (frames + 7) // 8
assert notes + size < bitmap1 and bitmap1 + bits < bitmap2
ranges = [(0, 464), (notes, notes + size), (block, block + 104), (bitmap1, bitmap1 + bits), (bitmap2, bitmap2 + bits)]
ranges += [(at, min(at + 20000, len(data))) for at in range(pages, len(data), 20000)]
heads = []
with open('flat', 'wb') as file:
    file.write(struct.pack('>16sQQ', b'makedumpfile', 1, 1).ljust(4096, b'\0'))
    for begin, end in ranges:
        file.write(struct.pack('>QQ', begin, end - begin) + data[begin:end])
        heads.append(file.tell() - 16 - (end - begin))
    file.write(b'\xff' * 16)
damaged = bytearray(open('flat', 'rb').read())
damaged[heads[-2] + 8:heads[-2] + 16] = bytes(8)
open('lost', 'wb').write(damaged)
open('at', 'w').write(str(heads[-2]))
END
at=$(cat at)
head -c -16 flat > short
expect_status 0 njoin -q --format=elf -o whole dump
head -c -40000 flat > shorter
for name in short shorter lost; do
	case $name in
	lost) reason="damaged at byte $at: not the header of a piece of a flattened dump; what follows it cannot be read" ;;
	*) reason="cut short: the flattened dump has no end" ;;
	esac
	expect_status 3 njoin --progress=never -j1 -o d/file $name
	grep -qxF "njoin: $name: $reason" err || fail "$name: $(cat err)"
	whole=yes
	[ $name = short ] || whole=no
	[ $whole = yes ] || grep -q '^njoin: missing: [0-9]* pages' err || fail "$name: $(cat err)"
	expect_status 3 njoin -q --format=elf -o d/elf $name
	[ $whole = no ] || same d/elf whole
	in_pipe cat $name | expect_status 3 njoin -q -j1 -o d/pipe -
	same d/pipe d/file
	expect_status 3 njoin -q --verify $name
	expect_status 3 njoin -q --info $name
	rm d/*
done
pipes_ended_well
for directory in spool d; do
	[ -z "$(ls -A $directory)" ] || fail "something is left: $(ls -A $directory)"
done

# A core in the flattened form, as makedumpfile -E writes it.
python3 - << 'END'
import struct
with open('core', 'rb') as file:
    data = file.read()
phoff, phnum = struct.unpack_from('<Q', data, 32)[0], struct.unpack_from('<H', data, 56)[0]
begin, piece = phoff + 56 * phnum, 4096
pieces = [(64, data[64:begin]), (0, data[:64])]
pieces += [(at, data[at:at + piece]) for at in range(begin, len(data), piece)]
with open('flat', 'wb') as file:
    file.write(struct.pack('>16sQQ', b'makedumpfile', 1, 1).ljust(4096, b'\0'))
    for to, part in pieces[:-1] + pieces[:1] + pieces[-1:]:
        file.write(struct.pack('>QQ', to, len(part)) + part)
    file.write(b'\xff' * 16)
END
expect_status 0 njoin --progress=never -o d/new flat
expect_err ""
same d/new core
