#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Captures that leave pages out and are killed: njoin says which layers are complete, by the records
# that are there, and has what is in these layers.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3
need_inject nsplit

make_core kinds
# Where the memory begins in the file (p_offset of the second program header), and in it the last page of
# layer 4.
memory=$(od -An -t u8 -j 128 -N 8 kinds | tr -d ' ')
frame=$(grep -n '^user$' class | sed -n '$s/:.*//p')
last=$((memory + (frame - 1) * 4096))

# Layer 1 is the kernel, with the memory map, so that layer 3 is empty, and layer 4 what processes use.  The
# rest is left out.  In serial mode, a and b are synced in turn, before the checkpoint and behind it: of layer 2, of which
# a has all, and then of layers 1 to 3.
nsplit="nsplit -q --overwrite-dumps --serial --chunksize=64K -d 22 kinds"

# killed RULES: a capture to a and b
killed() {
	# shellcheck disable=SC2086	# several words
	expect_status 137 injected "$1" $nsplit a b
}

# told TEXT MEMBER...: what njoin --salvage says of the layers
told() {
	text=$1
	shift
	expect_status 3 njoin --salvage -q --overwrite-dumps -o new "$@"
	sed -n 's/ at byte [0-9]*//; /ends with a checkpoint\|^njoin: complete/p' err > told
	printf '%s' "$text" | cmp -s - told || fail "$*: $(cat err)"
}

# has_kernel: all pages of the kernel are in new, and the others are there or zeros
has_kernel() {
	python3 -B - << 'END' || fail "new is not what the members have"
import struct, sys

source, new = (open(name, "rb").read() for name in ("kinds", "new"))
classes = open("class", encoding="ascii").read().split()
at, count = struct.unpack_from("<Q", source, 32)[0], struct.unpack_from("<H", source, 56)[0]
if len(source) != len(new):
    sys.exit("the sizes differ")
for i in range(count):
    kind, _, offset, _, memory, length = struct.unpack_from("<IIQQQQ", source, at + 56 * i)
    for j in range(length // 4096) if kind == 1 else ():
        place, frame = offset + j * 4096, memory // 4096 + j
        page, want = new[place:place + 4096], source[place:place + 4096]
        # Page frame 5600 is poisoned (made_kernel.h).  The memory map is behind the pages it describes.
        kernel = frame < len(classes) and classes[frame] == "none" and frame != 5600
        if page != want and (kernel or page != bytes(4096)):
            sys.exit("page frame %d" % frame)
END
}

mark="not with a footer: the capture did not finish, but its layers up to"

# Both have the checkpoint, and nothing behind it.
killed fsync:b:3:SIGKILL
told "njoin: a: ends with a checkpoint, $mark 3 were complete
njoin: b: ends with a checkpoint, $mark 3 were complete
njoin: complete: layers up to 3
" a b
has_kernel
expect_status 3 njoin --info --salvage a b
grep -q '^layers: 3 complete$' out || fail "$(cat out)"

# It speaks of all members: without b, the kernel is not complete, whatever the checkpoint of a says.
told "njoin: a: ends with a checkpoint, $mark 3 were complete
" a
expect_status 3 njoin --info --salvage a
grep -q '^layers: 0 complete$' out || fail "$(cat out)"

# Before or while checkpoints are written: the records are there.
for rule in fsync:a:3:SIGKILL fsync:a:4:SIGKILL fsync:b:2:SIGKILL; do
	killed $rule
	expect_status 3 njoin --salvage -q --overwrite-dumps -o new a b
	grep -q '^njoin: complete: layers up to 3$' err || fail "$rule: $(cat err)"
	has_kernel
done

# In layer 4, so that records follow the checkpoints.
killed "pread:kinds:@$last-$((last + 4096)):SIGKILL"
told "njoin: complete: layers up to 3
" a b
has_kernel
expect_status 3 njoin --info --salvage a b
grep -q '^layers: 3 complete$' out || fail "$(cat out)"
grep -q '^captured: user (anonymous): .* kept (layer 4)$' out || fail "$(cat out)"
grep -q '^captured: user (hugetlb): .* missing (layer 4)$' out || fail "$(cat out)"

# b fails behind its checkpoint, and a takes what it had.
rm a b
# shellcheck disable=SC2086	# several words
expect_status 0 injected fsync:b:4:EIO $nsplit a b
expect_err "nsplit: b: Input/output error; given up, continuing on 1 output"
absent b
expect_status 0 njoin --verify -q a

# The same, and it is killed when a has taken all of it, at the sync behind another checkpoint.
killed 'fsync:b:4:EIO fsync:a:7:SIGKILL'
told "njoin: a: ends with a checkpoint, $mark 3 were complete
njoin: complete: layers up to 3
" a
has_kernel

# There is no checkpoint while a pipe has records: a is synced for layer 2, and then only before its footer and behind it.
mkfifo pipe
cat pipe > b &
rm log
# shellcheck disable=SC2086	# several words
expect_status 0 injected fsync:a:5-:EIO $nsplit a pipe
wait
expect_status 1 grep '^fsync a' log
expect_status 0 njoin --verify -q a b
