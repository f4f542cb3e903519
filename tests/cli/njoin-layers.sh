#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sets with layers, of a core with pages of every class: dumps of them, and what is said about what was
# left out and what is missing.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

have_codec zlib || skip "this build has no zlib"
make_core kinds

# layered LEVEL HOW MEMBER...
layered() {
	make_core layered "$@"
}

layered 0 whole all-a all-b
layered 16 whole free-a free-b
layered 31 whole a b
layered 31 after-all after-a after-b

# has FILE LEVEL WORD...: it has all pages but those of these classes, and this dump level
has() {
	dump=$1
	shift
	python3 -B "$srcdir/tests/cli/kdump-level.py" kinds class "$dump" "$@" > told 2>&1 ||
		fail "$dump: $(cat told)"
}

# made TEXT ARGUMENT...: njoin writes the file, and this on standard error
made() {
	text=$1
	shift
	expect_status 0 njoin --overwrite-dumps --progress=never --format=kdump --compress=zlib -o new "$@"
	expect_err "$text"
}

offline="offline 16.0 KiB"
captured="njoin: left out when captured"
all="9.1 MiB (private 40.0 KiB, cache 600.0 KiB, user 4.4 MiB, free 4.0 MiB, $offline)"
after="4.7 MiB (private 40.0 KiB, cache 600.0 KiB, free 4.0 MiB, $offline)"

# What the capture left out is in no dump, whatever else is left out.  Offline pages are never captured.
made "$captured: 4.0 MiB (free 4.0 MiB, $offline)" free-a free-b
has new 16 free
made "$captured: $all" a b
has new 30 cache private user free
made "$captured: $after" after-a after-b
has new 22 cache private free

cache="cache 150 pages (600.0 KiB)"
private="private 10 pages (40.0 KiB)"
user="user 1124 pages (4.4 MiB)"
free="free 1036 pages (4.0 MiB)"
made "$captured: 4.0 MiB (free 4.0 MiB, $offline)
njoin: left out: $user" -d 8 free-a free-b
has new 24 user free
made "$captured: $all
njoin: left out: $cache, $private, $user, $free" -d 31 a b
has new 31 cache private user free
made "$captured: $after
njoin: left out: $user" -d 8 after-a after-b
has new 30 cache private user free
expect_status 0 njoin --progress=never -o elf all-a all-b
expect_err "$captured: 16.0 KiB ($offline); zeros in the ELF core"
njoin -q --zero-left-out -o zeros all-a all-b
same elf zeros
made "$captured: 16.0 KiB ($offline)
njoin: left out: $cache, $private, $user, $free" -d 31 all-a all-b
has new 31 cache private user free

# A member is missing: nothing is written, neither to a file nor to what cannot be rewound.
rm -f new
expect_status 1 njoin --format=kdump -o new after-b
grep '^njoin: member' err > told
echo "njoin: member 0 of 2 (numbered 0 to 1) is missing" > want
same told want
tail -n 1 err > told
echo "njoin: missing: 16.3 MiB in total; nothing was written; use --salvage to write what is available" > want
same told want
[ ! -e new ] || fail "njoin has written a file"
njoin --zero-left-out -o - after-b > out 2> err && fail "njoin says that it is complete"
tail -n 1 err > told
same told want
[ ! -s out ] || fail "njoin has written a part to standard output"
# A range that is complete can be written, also there.
njoin -q --zero-left-out --range=1048576:1048576 -o - after-a > out 2> err || fail "$(cat err)"
tail -c +1048577 kinds | head -c 1048576 | cmp -s - out || fail "the second MiB differs"

# What is left out is not missing, also if something else is: a record of layer 1 is damaged.  A part of
# it has the kernel image as its second place.
dd if=/dev/zero of=b bs=4096 seek=1280 count=1 conv=notrunc 2> dd.err || fail "$(cat dd.err)"
damaged="njoin: b: damaged at byte 5128192: record of bytes 16777216 to 17825791 of the source"
expect_status 1 njoin --progress=never --format=kdump -o new a b
expect_err "$damaged"
[ ! -e new ] || fail "njoin has written a file"
lost="$damaged
$captured: $all
njoin: missing: bytes 16785408 to 17825791 (1016.0 KiB)
njoin: missing: bytes 34086912 to 34152447 (64.0 KiB)
njoin: missing by class: 1016.0 KiB (kernel 1016.0 KiB), and 64.0 KiB that the source has twice
njoin: missing: 1.1 MiB in total"
expect_status 3 njoin --progress=never --salvage -o new a b
expect_err "$lost"
expect_status 3 njoin --progress=never --salvage --format=kdump --overwrite-dumps -o new a b
expect_err "$lost
njoin: missing: 254 pages of 4096 bytes"
# Without the kernel image, nothing more can be left out.
expect_status 3 njoin -q --salvage --format=kdump -d 31 --overwrite-dumps -o new a b
grep "are kept: the kernel image has no pointers by which the kinds of pages are checked" err > told ||
	fail "$(cat err)"
grep -v "are kept: " err > told
cat > want << END
$damaged
njoin: missing: bytes 16785408 to 17825791 (1016.0 KiB)
njoin: missing: bytes 34086912 to 34152447 (64.0 KiB)
njoin: missing by class: 1016.0 KiB (kernel 1016.0 KiB), and 64.0 KiB that the source has twice
njoin: missing: 1.1 MiB in total
njoin: missing: 254 pages of 4096 bytes
END
same told want

# --- --list and --info ---------------------------------------------------------------

# told_captured ARGUMENT...: what njoin prints about the layers
told_captured() {
	njoin "$@" > out 2> err || fail "$(cat err)"
	expect_err ""
	grep '^layers\|^captured\|^memory\|^complete' out > told
}

cat > want << END
memory: 8320 pages, 7124 of them in the core
layers: 4 complete
captured: kernel: 22.9 MiB kept (layer 1)
captured: map: 512.0 KiB kept (layer 2)
captured: private: 40.0 KiB left out (no layer)
captured: cache (clean): 600.0 KiB left out (no layer)
captured: user (anonymous): 2.4 MiB kept (layer 4, after all)
captured: user (hugetlb): 2.0 MiB kept (layer 4, after all)
captured: free: 4.0 MiB left out (no layer)
captured: offline: 16.0 KiB left out (no layer)
captured: second places: 64.0 KiB that the source has twice, counted once
captured: reason: user: 23 pointers in the kernel image lead to pages of this class
complete: yes
END
told_captured --list after-a after-b
same told want
told_captured --info after-b after-a
grep -v '^memory' want > want.info
same told want.info
layered 31 undecided killed-a killed-b
expect_status 3 njoin --list killed-a killed-b
grep '^memory\|^layers\|^captured\|^complete' out > told
cat > want << END
memory: 8320 pages, 2452 of them in the core
layers: 0 complete
captured: kernel: 9.6 MiB kept (layer 1)
captured: private: nothing (not decided)
captured: cache (clean): nothing (not decided)
captured: user (anonymous): 2.4 MiB missing (not decided)
captured: user (hugetlb): nothing (not decided)
captured: free: 4.0 MiB missing (not decided)
captured: offline: nothing (not decided)
captured: of unknown class: 16.6 MiB missing
complete: no
END
same told want

for mode in --list --info; do
	njoin $mode --json after-a after-b > out 2> err || fail "$(cat err)"
	python3 -B - out << 'END' || fail "$mode: $(cat out)"
import json, sys

with open(sys.argv[1], encoding="utf-8") as f:
    told = json.load(f)["captured"]
classes = {c.pop("name"): c for c in told.pop("classes")}
want = {
    "kernel": (0, "saved", 1, 24059904, 0, 0),
    "map": (1, "saved", 2, 524288, 0, 0),
    "private": (2, "left_out", None, 0, 40960, 0),
    "clean": (4, "left_out", None, 0, 614400, 0),
    "anonymous": (5, "saved_after_all", 4, 2506752, 0, 0),
    "hugetlb": (6, "saved_after_all", 4, 2097152, 0, 0),
    "free": (8, "left_out", None, 0, 4227072, 0),
    "offline": (10, "left_out", None, 0, 16384, 0),
}
keys = ("number", "state", "layer", "kept", "left_out", "missing")
got = {name: tuple(c.get(key) for key in keys) for name, c in classes.items()}
if got != want:
    sys.exit("%r" % got)
if told != {"layers_complete": 4, "second_place_bytes": 65536, "second_place_left_out": 0,
            "missing_of_unknown_class": 0, "unreadable": 0,
            "reason": "user: 23 pointers in the kernel image lead to pages of this class"}:
    sys.exit("%r" % told)
END
done

# Without layers, nothing of that.
nsplit -q kinds plain
njoin --info plain > out
! grep -q "^layers\|^captured" out || fail "$(cat out)"

# The log is looked for in the same way.
njoin --dmesg kinds > want 2> want.err && fail "the core has a log"
expect_status 1 njoin --dmesg after-a after-b
expect_err "$(cat want.err)"

# --- captures that were killed after a mark, and members that were cut short ------------

# salvaged N MISSING SIZE PAGES: after layer N, this is missing
salvaged() {
	layered 16 "killed-$1" killed-a killed-b
	expect_status 1 njoin --overwrite-dumps --zero-left-out -o new killed-a killed-b
	expect_err "njoin: killed-a: ends with a checkpoint at byte $(($(stat -c %s killed-a) - 4096)), not with a footer: \
the capture did not finish, but its layers up to $1 were complete; use --salvage to read what is intact"
	expect_status 3 njoin --progress=never --salvage --overwrite-dumps -o new killed-a killed-b
	sed 's/ at byte [0-9]*//' err > told
	for member in killed-a killed-b; do
		echo "njoin: $member: ends with a checkpoint, not with a footer: the capture did not finish, but its \
layers up to $1 were complete"
	done > want
	echo "$captured: 4.0 MiB (free 4.0 MiB, $offline)" >> want
	[ -z "$2" ] || echo "njoin: missing by class: $2
njoin: complete: layers up to $1
njoin: missing: $3 in total" >> want
	grep -v "^njoin: missing: bytes\|^njoin: missing: [0-9]* more range" told > told.short
	same told.short want
	expect_status 3 njoin -q --salvage --format=kdump --overwrite-dumps -o new killed-a killed-b
	grep "pages of" err > told || :
	[ -z "$2" ] || echo "njoin: missing: $4 pages of 4096 bytes" > want
	[ -n "$2" ] || : > want
	same told want
}

user_and_cache="private 40.0 KiB, cache 600.0 KiB, user 4.4 MiB"
# Without the memory map, the kinds of pages are not known; that of a dump is not needed.
salvaged 1 "5.5 MiB (map 512.0 KiB, $user_and_cache)" "5.5 MiB" 1412
salvaged 2 "5.0 MiB ($user_and_cache)" "5.0 MiB" 1284
salvaged 3 "" "" 0

# Cut short behind the mark of layer 1, in the middle of layer 2.
layered 16 whole cut-short other
whole=$(stat -c %s cut-short)
layered 16 killed-1 killed-a killed-b
truncate -s $(($(stat -c %s killed-a) + 40960)) cut-short
[ "$(stat -c %s cut-short)" -lt "$whole" ] || fail "nothing was cut off"
expect_status 3 njoin -q --salvage --overwrite-dumps -o new cut-short other
grep "^njoin: missing by\|^njoin: complete" err > told
echo "njoin: missing by class: 2.8 MiB (map 512.0 KiB, private 40.0 KiB, user 2.3 MiB)
njoin: complete: layers up to 1" > want
same told want
python3 -B - kinds new << 'END' || fail "what was salvaged is not of the source"
import sys

with open(sys.argv[1], "rb") as source, open(sys.argv[2], "rb") as salvaged:
    source, salvaged = source.read(), salvaged.read()
pages = range(0, len(source), 4096)
zeros = sum(salvaged[at:at + 4096] == bytes(4096) != source[at:at + 4096] for at in pages)
if len(salvaged) != len(source) or any(salvaged[at:at + 4096] not in (source[at:at + 4096], bytes(4096))
                                       for at in pages):
    sys.exit(1)
# 4.0 MiB left out, and 2.8 MiB missing.
sys.exit(not 1600 < zeros < 1800)
END
