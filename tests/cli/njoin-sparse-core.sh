#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Holes of a plain core are pages of zeros in a dump, but are no memory that justifies large bitmaps.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

core() {
	python3 -B "$srcdir/tests/cli/hostile-cores.py" "$1" core 2> made || skip "no large file here: $(cat made)"
	[ "$(du -k core | cut -f 1)" -lt 1000 ] || skip "this file system has no holes"
}

refused() {
	# Without the check, hundreds of megabytes were written.
	# shellcheck disable=SC3045 # dash and bash both have ulimit -f
	(ulimit -f 4000000 && trap '' XFSZ && exec njoin -q --format=kdump -o dump "$@") > out 2> err &&
		fail "$kind: a dump was written"
	absent dump
	sed 's/only [0-9.]* KiB/only SOME/' err > told
	cp told err
}

for kind in holes-memory:4.0_GiB scattered:249.8_MiB; do
	core "${kind%:*}"
	refused core
	expect_err "njoin: ELF header of the source: --format=kdump needs $(echo "${kind#*:}" | tr _ ' ') for bitmaps of its memory, but the file stores only SOME; nothing was written"
done

# As a set, the holes take little, too.
core scattered
nsplit -q core a
refused a
expect_err "njoin: ELF header of the source: --format=kdump needs 249.8 MiB for bitmaps of its memory, but the members hold only SOME; nothing was written; use --format=elf"

# A descriptor for each page, and one page of zeros.
core holes
expect_status 0 njoin -q --format=kdump -o dump core
expect_err ""
[ "$(wc -c < dump)" -lt 7000000 ] || fail "the dump has $(wc -c < dump) bytes"
nsplit -q --overwrite-dumps core a
expect_status 0 njoin -q --format=kdump -o of-set a
same dump of-set

# Nor do they in a dump: scattered bits of memory, in a file that seems to be large.
python3 -B "$srcdir/tests/readers/core.py" core
njoin -q --format=kdump --overwrite-dumps -o small core
python3 - << 'END' || skip "no large file here"
import struct
page, frames, bitmap = 4096, 1 << 33, 1 << 30
head = bytearray(open('small', 'rb').read())
head = head[:page * (1 + struct.unpack_from('<I', head, 432)[0])]
struct.pack_into('<I', head, 436, 2 * bitmap // page)
struct.pack_into('<I', head, 440, min(frames, 2 ** 32 - 1))
struct.pack_into('<Q', head, page + 96, frames)
with open('dump-of-holes', 'wb') as file:
    file.write(head)
    for at in range(0, bitmap, 1 << 20):
        file.seek(len(head) + at)
        file.write(b'\1')
    file.seek(len(head) + bitmap)
    file.write(b'\1')
    at = len(head) + 2 * bitmap
    file.seek(at)
    file.write(struct.pack('<QIIQ', at + 24, page, 0, 0) + b'x' * page)
    file.truncate(1 << 40)
END
[ "$(du -k dump-of-holes | cut -f 1)" -lt 10000 ] || skip "this file system has no holes"
kind=dump
rm dump
refused dump-of-holes
sed 's/needs .* for bitmaps/needs MANY for bitmaps/; s/only .*;/only SOME;/' err > told
cp told err
expect_err "njoin: ELF header of the source: --format=kdump needs MANY for bitmaps of its memory, but the file stores only SOME; nothing was written"
