#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Holes of a sparse source are not read, and are zeros in the copy.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
long_test

need python3 prlimit

# sparse FILE SIZE: the head of an ELF core, and ranges of data that are farther and farther apart
sparse() {
	# mkfakevmcore would write the whole file.
	mkfakevmcore -s "$2" -p zero - 2> head.err | head -c 8192 > front
	mkfakevmcore -s 1M -p text --overwrite-dumps piece
	python3 - "$1" "$2" << 'END' || skip "no file of $2 bytes here"
import sys

head, piece = open("front", "rb").read(), open("piece", "rb").read()
size = int(sys.argv[2])
with open(sys.argv[1], "wb") as f:
    f.write(head)
    at = 3 << 20
    while at < size - len(piece):
        f.seek(at + 1234)
        f.write(piece)
        at *= 2
    f.truncate(size)
END
	[ "$(du -k "$1" | cut -f 1)" -lt $(($2 / 2048)) ] || skip "this file system has no holes"
}

# same_data FILE FILE: they have the same length and the same data where either has data
same_data() {
	python3 - "$1" "$2" << 'END' || fail "$1 and $2 differ"
import os, sys

def extents(fd, size):
    at = 0
    while at < size:
        try:
            at = os.lseek(fd, at, os.SEEK_DATA)
        except OSError:
            return
        end = os.lseek(fd, at, os.SEEK_HOLE)
        yield at, end
        at = end

fds = [os.open(name, os.O_RDONLY) for name in sys.argv[1:]]
sizes = [os.fstat(fd).st_size for fd in fds]
if sizes[0] != sizes[1]:
    sys.exit(1)
for fd in fds:
    for at, end in extents(fd, sizes[0]):
        while at < end:
            n = min(1 << 20, end - at)
            if os.pread(fds[0], n, at) != os.pread(fds[1], n, at):
                sys.exit(1)
            at += n
END
}

# Small enough for a complete comparison.
sparse core $((70 << 20))
cp --sparse=never core whole
for options in '-c -j2' '-r -j2 -b 64K' '-C auto -j3' '-l --serial --chunksize=8M' '-r --chunksize=16M -b 1M' \
	'-c --mmap=always' '-c --stripe --chunksize=8M'; do
	# shellcheck disable=SC2086 # they are several
	expect_status 0 nsplit -q $options core m0 m1
	expect_err ""
	expect_status 0 njoin -q --verify m0 m1
	expect_status 0 njoin -q -o copy m0 m1
	same copy whole
	rm -f m0 m1 copy
done

# The record of a hole takes one page, whatever its length.
expect_status 0 nsplit -q -r --chunksize=16M -j1 --stats=stats core m0
python3 - << 'END' || fail "the member is too long: $(cat stats)"
import json, sys

stats = json.load(open("stats"))
# The stored blocks, tables of 16 KiB for the chunks with data, and the end of the member.
sys.exit(stats["bytes"] > (stats["blocks"]["stored"] + stats["blocks"]["packed"]) * 4096 + 5 * 20480 + 65536)
END
# In another format, its pages are zeros.
expect_status 0 njoin -q --format=kdump -j1 -o sparse.kdump m0
rm m0
expect_status 0 nsplit -q -r --chunksize=16M -j1 whole m0
expect_status 0 njoin -q --format=kdump -j1 -o whole.kdump m0
same sparse.kdump whole.kdump
rm -f m0 ./*.kdump

# With --stripe, the member does not depend on which ranges the file system stores.
SOURCE_DATE_EPOCH=1000000000
export SOURCE_DATE_EPOCH
uuid=01234567-89ab-4def-8123-456789abcdef
expect_status 0 nsplit -q -c --stripe --uuid=$uuid --chunksize=8M core m0 m1
mv whole core
expect_status 0 nsplit -q -c --stripe --uuid=$uuid --chunksize=8M core n0 n1
same m0 n0
same m1 n1
rm -f core m0 m1 n0 n1
unset SOURCE_DATE_EPOCH

# Too large to be read, which would take minutes of CPU time.  With larger records, holes take less space.
sparse core $((4 << 40))
expect_status 0 prlimit --cpu=100 nsplit -q -c --chunksize=64M core m0 m1
expect_err ""
expect_status 0 prlimit --cpu=100 njoin -q --verify m0 m1
expect_status 0 prlimit --cpu=100 njoin -q -o copy m0 m1
same_data core copy
