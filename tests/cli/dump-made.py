#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dump-made.py FILE [KEY=VALUE]...: writes a kdump-compressed dump by hand, as other programs write them.

Frames 4 to 9 and 20 to 22 are in the dump, and frames 10 and 11 are memory that is not; every page differs.

block=N     bytes of a block (default 4096)
machine=M   the machine in the names (default x86_64); names= leaves all of them empty
shift=N     the names begin so many bytes later
status=N    bytes of struct elf_prstatus, of which there are two (default 336); 0: no such note
info=TEXT   VMCOREINFO, with commas in place of newlines; empty: none (default: pages of 4096 bytes)
erased=TEXT erase information, with commas in place of newlines; in notes=TEXT it is a note
flags=N     the status of the header (default 0)
part=A-B    only frames A to B - 1, of a split dump
page=TEXT   the beginning of the first page, in hexadecimal
order=>     a big-endian machine
word=4      a 32-bit machine
empty=1     no frame is memory
"""
import hashlib
import struct
import sys

KEPT = [*range(4, 10), *range(20, 23)]
MEMORY = [*KEPT, 10, 11]
FRAMES = 24


def note(order, name, kind, desc):
    def padded(data):
        return data + bytes(-len(data) % 4)
    return struct.pack(order + 'III', len(name) + 1, len(desc), kind) + padded(name + b'\0') + padded(desc)


def page(frame, size):
    line = hashlib.sha256(b'%d' % frame).digest()
    return b''.join(hashlib.sha256(line + b'%d' % i).digest() for i in range(size // 32))


def bitmap(frames, size):
    bits = bytearray(size)
    for frame in frames:
        bits[frame // 8] |= 1 << frame % 8
    return bytes(bits)


def lines(text):
    return ''.join(line + '\n' for line in text.split(',') if line).encode()


def names(s):
    texts = [b'Linux', b'host', b'6.1.0-test', b'#1 SMP', s['machine'].encode(), b'(none)']
    field = b''.join(t.ljust(65, b'\0') for t in texts) if s['names'] else bytes(390)
    # Before and behind the names is something else.
    around, shift = b'\2\0\0\0' + field + b'\1\1\1\1', int(s['shift'])
    return around[4 - shift:4 - shift + 390]


def main():
    s = {'block': '4096', 'machine': 'x86_64', 'names': '1', 'shift': '0', 'status': '336', 'notes': '', 'erased': '',
         'info': 'OSRELEASE=6.1.0-test,PAGESIZE=4096', 'flags': '0', 'part': '', 'page': '', 'order': '<', 'word': '8',
         'empty': ''}
    s.update(argument.split('=', 1) for argument in sys.argv[2:])
    order, block = s['order'], int(s['block'])
    word = 'Q' if s['word'] == '8' else 'I'
    notes = b''
    if int(s['status']):
        notes += note(order, b'CORE', 1, bytes(int(s['status']))) * 2
    if s['info']:
        notes += note(order, b'VMCOREINFO', 0, lines(s['info']))
    if s['notes']:
        notes += note(order, b'ERASEINFO', 0, lines(s['notes']) + bytes(5))
    kept, memory = ([], []) if s['empty'] else (KEPT, MEMORY)
    first, end = (int(n) for n in s['part'].split('-')) if s['part'] else (0, FRAMES)
    here = [frame for frame in kept if first <= frame < end]
    size = -(-FRAMES // 8 // block) * block
    # A block of headers, and one of notes, more than they need.
    descriptors = 4 * block + 2 * size
    data = descriptors + 24 * len(here)
    pages = [bytes.fromhex(s['page']) + page(f, block)[len(s['page']) // 2:] if f == 4 else page(f, block) for f in here]
    erased = lines(s['erased'])
    header = (b'KDUMP   ' + struct.pack(order + 'I', 6) + names(s)).ljust(408 if word == 'Q' else 404, b'\0')
    header += struct.pack(f'{order}2{word}5I', 1700000000, 0, int(s['flags']), block, 3, 2 * size // block, FRAMES)
    header += struct.pack(order + '5I', 0, 0, 0, 0, 2)
    split = (first, end) if s['part'] else (0, 0)
    sub = struct.pack(f'{order}{word}2i2{word}', 0x1000000, 0, bool(s['part']), *split)
    sub += struct.pack(f'{order}Q{word}', 0, 0) if word == 'Q' else struct.pack(order + '4xQI', 0, 0)
    at = block + 512
    sub += struct.pack(f'{order}Q{word}', at, len(notes))
    sub += struct.pack(f'{order}Q{word}', data + block * len(here), len(erased))
    sub += struct.pack(order + '3Q', *split, FRAMES)
    with open(sys.argv[1], 'wb') as out:
        out.write(header.ljust(block, b'\0') + sub.ljust(512, b'\0') + notes.ljust(3 * block - 512, b'\0'))
        out.write(bitmap(memory, size) + bitmap(kept, size))
        for i in range(len(here)):
            out.write(struct.pack(order + 'QIIQ', data + i * block, block, 0, 0))
        out.write(b''.join(pages) + erased)


if __name__ == '__main__':
    main()
