#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""more-memory.py CORE NEW GIB [AT]: writes the core again, with another segment of so many GiB, a power of 2, from AT GiB
on (4), which is a hole but for a page in each GiB."""
import struct
import sys

PAGE = 4096
GIB = 1 << 30
AT = int((sys.argv + ['4'])[4]) * GIB

with open(sys.argv[1], 'rb') as f:
    old = f.read()
size = int(float(sys.argv[3]) * GIB)
header = bytearray(old[:64])
phoff, = struct.unpack_from('<Q', old, 32)
count, = struct.unpack_from('<H', old, 56)
data = -(-len(old) // PAGE) * PAGE + PAGE       # where the new segment begins: the old file comes one page later

segments = []
for i in range(count):
    fields = list(struct.unpack_from('<IIQQQQQQ', old, phoff + 56 * i))
    fields[2] += PAGE
    segments.append(struct.pack('<IIQQQQQQ', *fields))
segments.append(struct.pack('<IIQQQQQQ', 1, 7, data, 0xffff888000000000 + AT, AT, size, size, PAGE))
struct.pack_into('<Q', header, 32, 64)
struct.pack_into('<H', header, 56, count + 1)
with open(sys.argv[2], 'wb') as f:
    f.write(header + b''.join(segments))
    f.seek(PAGE)
    f.write(old)
    f.truncate(data + size)
    for offset in range(0, size, GIB):
        f.seek(data + offset + min(12345 * PAGE, size // 2))
        f.write(b'a page' * 100)
