#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# With -d, the memory map is stored in columns, in blocks of 64 KiB, and other pages in blocks of 16 KiB, unless chunks or
# --blocksize make them smaller; a page that cannot be read makes those of its record smaller.  What a decoder that was
# written from doc/format.md alone makes of it is what njoin makes.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
python3 -c 'import zlib' 2> python.err || skip "python3 has no zlib"
have_codec zlib || skip 'this build has no zlib'
make_core kinds mapped

# stored [OFFSET]: prints "SIZE KIND..." of each record in a, sorted: the size of its blocks, and their kinds but for
# zeros; with OFFSET, of the record that has this byte of the source
stored() {
	python3 -B - "$srcdir/tests/vectors" "$@" << 'END'
import collections, struct, sys
sys.path.insert(0, sys.argv[1])
import decode
raw, found, at = open("a", "rb").read(), set(), 0
while at < len(raw):
    if raw[at:at + 8] != b"nsplitRC":
        at += decode.UNIT
        continue
    kinds = collections.Counter()
    record = decode.Record(raw, at, kinds)
    if len(sys.argv) < 3 or any(kind == decode.RUN_STORED and begin <= int(sys.argv[2]) < begin + len(data)
                                for kind, _, begin, data in record.pieces()):
        kinds = " ".join(str(kind) for kind in sorted(kinds) if kind)
        found.add("%d %s" % (decode.word(raw, at + 36), kinds) if kinds else "")
    at = -(-record.end // decode.UNIT) * decode.UNIT
print("\n".join(sorted(found - {""})))
END
}

# columns SIZE: the size of blocks of columns in a is SIZE
columns() {
	stored > found || fail "$(cat found)"
	[ "$(sed -n 's/ .*5$//p' found)" = "$1" ] || fail "$options: blocks of columns: $(cat found)"
}

# decoded STATUS: njoin and the decoder get the same bytes from a
decoded() {
	python3 -B "$srcdir/tests/vectors/decode.py" plain a > said 2>&1 || fail "$options: $(cat said)"
	expect_status "$1" njoin -q --overwrite-dumps --zero-left-out -o joined a
	cmp -s plain joined || fail "$options: other bytes"
}

# captured BLOCKS COLUMNS OPTION...: sizes of blocks
captured() {
	blocks=$1 size=$2
	shift 2
	options=$*
	expect_status 0 nsplit -q --overwrite-dumps -C zlib -d 31 "$@" mapped a
	expect_status 0 njoin --info a
	grep -q "^codec: zlib:1, blocks of $blocks bytes" out || fail "$options: $(cat out)"
	columns "$size"
	decoded 0
	[ ! -e reference ] || same joined reference
	mv joined reference
}

captured 16384 65536
captured 16384 65536 --serial
captured 16384 65536 --mmap=always
captured 4096 65536 -b 4K
captured 65536 65536 -b 64K
captured 131072 131072 -b 128K
# As large as the chunk allows.
captured 4096 4096 --chunksize=4K
captured 4096 8192 --chunksize=12K
captured 4096 16384 --chunksize=20K
captured 8192 16384 --chunksize=24K

# Raw stays raw, and where nothing is left out there is no layer for the map.
for options in '-r -d 31' '-C zlib -d 0'; do
	# shellcheck disable=SC2086 # several options
	expect_status 0 nsplit -q --overwrite-dumps $options mapped a
	expect_status 0 njoin --info a
	grep -q '^codec: .*, blocks of 4096 bytes' out || fail "$options: $(cat out)"
	columns ''
	decoded 0
done

# A dump that other programs read has none; nor has one that njoin makes, with the codec of the set.
options=kdump
expect_status 0 nsplit -q --overwrite-dumps -C zlib -d 31 mapped a
expect_status 0 njoin -q --overwrite-dumps --format=kdump -o exported a
expect_status 0 nsplit -q --overwrite-dumps --format=kdump -C zlib -d 31 mapped dump
for file in exported dump; do
	expect_status 0 njoin -q --verify $file
	expect_status 0 njoin --info $file
	grep -q 'kdump-compressed, version 6, zlib' out || fail "$file: $(cat out)"
done

need_inject nsplit
# The first byte of the map that is stored.
map=$(python3 -B - "$srcdir/tests/vectors" << 'END'
import collections, sys
sys.path.insert(0, sys.argv[1])
import decode
records, _ = decode.read_member("a", collections.Counter())
print(min(begin for record in records if record.layer == 3
          for kind, _, begin, _ in record.pieces() if kind == decode.RUN_STORED))
END
)
for options in -j2 --serial; do
	lost=$((map + 4096))
	expect_status 3 injected "pread:mapped:@$lost-$((lost + 4096)):EIO" nsplit -q --overwrite-dumps $options -C zlib -d 31 mapped a
	case $(stored "$map") in
	'4096 '*5) ;;
	*) fail "$options: a record with a page that cannot be read: $(stored "$map")" ;;
	esac
	decoded 3
done
