#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin reads flattened cores that lost a piece, or have one in another place: no zeros in place of memory without a
# message.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

python3 -B "$srcdir/tests/readers/core.py" core
python3 "$srcdir/tests/cli/flatten.py" core 20000 > flat
size=$(wc -c < core)
mkdir d

# change NUMBER [OFFSET]: the file hurt is flat with this piece at another offset, or without it if there is none
change() {
	python3 - "$@" << 'END'
import struct
import sys
data = open('flat', 'rb').read()
body = data[4096:-16]
pieces = [body[at:at + 20016] for at in range(0, len(body), 20016)]
number = int(sys.argv[1])
moved = struct.pack('>Q', int(sys.argv[2])) + pieces[number][8:] if len(sys.argv) > 2 else b''
open('hurt', 'wb').write(data[:4096] + b''.join(pieces[:number]) + moved + b''.join(pieces[number + 1:]) + data[-16:])
END
}

# same_but FROM TO: the core is the same, but for zeros in place of these bytes
same_but() {
	python3 - "$@" << 'END' || fail "another core"
import sys
begin, end = int(sys.argv[1]), int(sys.argv[2])
want = open('core', 'rb').read()
assert open('d/new', 'rb').read() == want[:begin] + bytes(end - begin) + want[end:]
END
}

# The 40th piece has the bytes 800000 to 819999.
change 40
expect_status 3 njoin --progress=never -j1 -o d/new hurt
expect_err "njoin: unreadable: bytes 798720 to 823295"
same_but 798720 823296
rm d/new
in_pipe cat hurt | expect_status 3 njoin --progress=never -j1 -o d/new -
expect_err "njoin: unreadable: bytes 798720 to 823295"
same_but 798720 823296
rm d/new
pipes_ended_well
expect_status 3 njoin -q --format=kdump -o d/dump hurt
expect_status 3 njoin --info d/dump
rm d/dump

# It is terabytes away, and nobody waits for a hole of that size.
change 40 $((1 << 42))
expect_status 3 timeout 60 njoin --progress=never -j1 -o d/new hurt
expect_err "njoin: hurt: damaged: a piece of the flattened dump ends at byte $(((1 << 42) + 20000)) of the core, but its \
segments end at byte $size
njoin: unreadable: bytes 798720 to 823295"
same_but 798720 823296
rm d/new

# A number of headers that no core has is not believed.
python3 - << 'END'
import struct
data = bytearray(64 + 64)
data[:7] = b'\x7fELF\x02\x01\x01'
struct.pack_into('<HHIQQQIHHHHHH', data, 16, 4, 62, 1, 0, 4096, 64, 0, 64, 56, 0xffff, 64, 1, 0)
struct.pack_into('<I', data, 64 + 44, 0xffffffff)
with open('many', 'wb') as file:
    file.write(struct.pack('>16sQQ', b'makedumpfile', 1, 1).ljust(4096, b'\0'))
    for offset, piece in (0, data), (1 << 34, bytes(4096)):
        file.write(struct.pack('>QQ', offset, len(piece)) + piece)
    file.write(b'\xff' * 16)
END
status=0
timeout 60 njoin -q --list many > out 2> err || status=$?
[ $status -ne 124 ] || fail "--list does not end"

# It is where others are: none of its bytes count.
change 40 1000003
expect_status 3 njoin --progress=never -j1 -o d/new hurt
expect_err "njoin: hurt: damaged: 1 piece of the flattened dump overlaps others, from byte 1000003 of the dump on; pages whose \
bytes are uncertain are missing
njoin: unreadable: bytes 798720 to 823295"
same_but 798720 823296
rm d/new
expect_status 3 njoin --list hurt
grep -qx 'complete: no' out || fail "--list: $(cat out)"

# The last one is lost, although the mark of the end is there.
last=$((size / 20000))
change $last
expect_status 3 njoin --progress=never -j1 -o d/new hurt
expect_err "njoin: hurt: cut short: the flattened dump has no pieces from byte $((last * 20000)) of the core on, but its \
segments end at byte $size
njoin: unreadable: bytes $((last * 20000 / 4096 * 4096)) to $((size - 1))"
same_but $((last * 20000 / 4096 * 4096)) "$size"
rm d/new

# Between segments, nothing has to be there: here, between the notes and the memory.
python3 - << 'END'
import struct
data = bytearray(open('core', 'rb').read())
count, = struct.unpack_from('<H', data, 56)
headers = [struct.unpack_from('<IIQQQQQQ', data, 64 + 56 * i) for i in range(count)]
begin = max(h[2] + h[5] for h in headers if h[0] == 4)
end = min(h[2] for h in headers if h[0] == 1)
assert end - begin > 64
with open('gap', 'wb') as file:
    file.write(struct.pack('>16sQQ', b'makedumpfile', 1, 1).ljust(4096, b'\0'))
    for offset, piece in (0, data[:begin]), (end, data[end:]):
        file.write(struct.pack('>QQ', offset, len(piece)) + piece)
    file.write(b'\xff' * 16)
data[begin:end] = bytes(end - begin)
open('core', 'wb').write(data)
END
expect_status 0 njoin --progress=never -j1 -o d/new gap
expect_err ""
same d/new core
rm d/new
[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"
