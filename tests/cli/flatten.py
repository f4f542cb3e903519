#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""flatten.py FILE PIECE [reversed]: writes FILE to standard output in the flattened form of makedumpfile -F, in
pieces of so many bytes."""
import struct
import sys

with open(sys.argv[1], 'rb') as file:
    data = file.read()
size = int(sys.argv[2])
offsets = list(range(0, len(data), size))
if len(sys.argv) > 3:
    offsets.reverse()
out = sys.stdout.buffer
out.write(struct.pack('>16sQQ', b'makedumpfile', 1, 1).ljust(4096, b'\0'))
for offset in offsets:
    piece = data[offset:offset + size]
    out.write(struct.pack('>QQ', offset, len(piece)) + piece)
out.write(b'\xff' * 16)
