#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What makedumpfile has erased (--config), and the status bits of its header, stay known in every dump and core that is
# made of its dump.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"
need python3

made() {
	python3 -B "$srcdir/tests/cli/dump-made.py" "$@"
}

# field FILE: the text to which the header of the dump leads
field() {
	python3 - "$1" << 'END'
import struct
import sys
data = open(sys.argv[1], 'rb').read()
at, size = struct.unpack_from('<QQ', data, 4096 + 64)
sys.stdout.write(data[at:at + size].decode())
END
}

# has FILE LINE...: --list and --info say that this was erased, as the field of a dump does
has() {
	file=$1
	shift
	printf '%s\n' "$@" > want.field
	sed 's/^/erased by makedumpfile: /' want.field > want
	for mode in --list --info; do
		if [ "$(head -c 5 "$file")" != KDUMP ] && [ $mode = --info ]; then
			continue
		fi
		njoin $mode "$file" > out || fail "$file: $(cat out)"
		grep '^erased' out > got || fail "$file: nothing was erased"
		same got want
		njoin $mode --json "$file" > out || fail "$file: $(cat out)"
		python3 - "$@" << 'END' || fail "$file: $(cat out)"
import json
import sys
told = json.load(open('out'))
assert told['erased'] == sys.argv[1:]
assert told.get('dump', told).get('erased_told', True)
END
	done
	if [ "$(head -c 5 "$file")" = KDUMP ]; then
		field "$file" > got
		same got want.field
	fi
}

# status FILE NUMBER: the status in the header
status() {
	[ "$(od -An -tu4 -j424 -N4 "$1" | tr -d ' ')" = "$2" ] || fail "$1: its status is not $2: $(od -An -tu4 -j424 -N4 "$1")"
}

one="erase cred.security size 8" two="erase mm.pgd nullify"
erased="$one,$two"
made dump "erased=$erased" flags=16
cp dump before
has dump "$one" "$two"
expect_status 0 njoin --info dump
grep -qx "dump: kdump-compressed, version 6, raw, level 0, without unused parts of the memory map" out ||
	fail "--info: $(cat out)"
expect_status 0 njoin --info --json dump
grep -q '"excluded_vmemmap": true' out || fail "--info --json: $(cat out)"

# A new dump, an ELF core, and the ways back.
expect_status 0 njoin -q -o new dump
has new "$one" "$two"
status new $((2 + 16))
expect_status 0 njoin -q -o again new
same again new
expect_status 0 njoin -q --compress=zlib -o zlib dump
status zlib $((1 + 16))
has zlib "$one" "$two"
expect_status 0 njoin -q --format=elf -o elf dump
has elf "$one" "$two"
expect_status 0 njoin -q --format=kdump -o of.elf elf
has of.elf "$one" "$two"
made noted "notes=$erased"
expect_status 0 njoin -q -o of.noted noted
has of.noted "$one" "$two"
# makedumpfile of an ELF core with the note writes both.
made both "notes=$erased" "erased=$erased"
has both "$one" "$two"
made more "notes=$one" "erased=$two"
expect_status 0 njoin -q -o of.more more
has of.more "$one" "$two"
# With level, flattened, without VMCOREINFO, and through a member.
expect_status 0 njoin -q -d 1 -o level dump
has level "$one" "$two"
python3 "$srcdir/tests/cli/flatten.py" dump 10000 > flat
expect_status 0 njoin -q -o of.flat flat
has of.flat "$one" "$two"
in_pipe cat flat | expect_status 0 njoin -q --overwrite-dumps -o of.flat -
has of.flat "$one" "$two"
made bare info= status=0 "erased=$erased"
expect_status 0 njoin -q -o of.bare bare
has of.bare "$one" "$two"
expect_status 0 nsplit -q elf member
has member "$one" "$two"
expect_status 0 njoin -q --format=kdump -o of.member member
has of.member "$one" "$two"

# A split dump has the text in its parts, whose order is that of their pages.
made part.0 part=0-6 erased=a flags=9
made part.1 part=6-20
made part.2 part=20-24 erased=b,a flags=1
expect_status 3 njoin -q -o joined part.2 part.0 part.1
expect_err "njoin: part.0: is marked as incomplete by the program that wrote it"
njoin --info joined > out || :
[ "$(grep '^erased' out | sed 's/.*: //' | tr '\n' ' ')" = "a b " ] || fail "of a split dump: $(cat out)"
# Each line is there once, whatever the parts and the note have in common.
made part.0 part=0-6 erased=a,c notes=a
made part.1 part=6-20 erased=a,c notes=a
made part.2 part=20-24 erased=a,ab,b,c,a notes=a
expect_status 0 njoin -q --overwrite-dumps -o joined part.2 part.0 part.1
has joined a c ab b
expect_status 0 njoin -q --overwrite-dumps --format=elf -o joined part.2 part.0 part.1
has joined a c ab b

# --- under the name makedumpfile

expect_status 0 makedumpfile -d 1 dump of.makedumpfile
has of.makedumpfile "$one" "$two"
status of.makedumpfile 16
expect_status 0 makedumpfile -E -d 0 dump of.e
has of.e "$one" "$two"
expect_status 0 makedumpfile -R of.r < flat
has of.r "$one" "$two"
status of.r 16
made part.0 part=0-6 "erased=$one" flags=17
made part.1 part=6-24 "erased=$one,$two" flags=17
expect_status 0 makedumpfile --reassemble part.0 part.1 of.parts
has of.parts "$one" "$two"
status of.parts 17
# Captures of an ELF core with the note.
expect_status 0 nsplit -q --format=kdump elf capture.kdump
has capture.kdump "$one" "$two"
expect_status 0 nsplit -q --format=elf elf capture.elf
has capture.elf "$one" "$two"

# Each part of a split dump has the note; the field is that of the first one, so that makedumpfile --reassemble does
# not repeat it.
python3 -B "$srcdir/tests/readers/core.py" core
python3 - << END
import struct
data = bytearray(open('core', 'rb').read())
size, = struct.unpack_from('<Q', data, 64 + 32)
note = struct.pack('<III', 10, 4, 0) + b'ERASEINFO\0\0\0' + b'x y\n'
data[4096 + size:4096 + size + len(note)] = note
struct.pack_into('<QQ', data, 64 + 32, size + len(note), size + len(note))
open('core', 'wb').write(data)
END
expect_status 0 njoin -q --format=kdump -o s.0 -o s.1 core
for part in s.0 s.1; do
	expect_status 3 njoin --info $part
	grep -qx 'erased by makedumpfile: x y' out || fail "$part: $(cat out)"
done
[ "$(field s.0)" = "x y" ] || fail "the first part has no text"
[ -z "$(field s.1)" ] || fail "the second part has the text again"
expect_status 0 njoin -q -o s s.1 s.0
has s "x y"

# --- a text that cannot be read

lost="njoin: dump: the list of what makedumpfile erased from the dump cannot be read"
for place in 99999999:48 61656:99999999 61656:18446744073709551615 18446744073709551615:48 61656:49; do
	python3 - ${place%:*} ${place#*:} << 'END'
import struct
import sys
data = bytearray(open('before', 'rb').read())
struct.pack_into('<QQ', data, 4096 + 64, int(sys.argv[1]), int(sys.argv[2]))
open('dump', 'wb').write(data)
END
	expect_status 3 njoin -q --overwrite-dumps -o new dump
	expect_err "$lost"
	expect_status 0 njoin --info new
	! grep -q erased out || fail "the text is there: $(cat out)"
	expect_status 0 njoin --info dump
	grep -q '^dump: .*, with data that was erased$' out || fail "--info: $(cat out)"
	expect_status 0 njoin --info --json dump
	grep -q '"erased_told": false' out || fail "--info --json: $(cat out)"
	expect_status 3 njoin -q --verify dump
	expect_err "$lost"
done
