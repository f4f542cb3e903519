#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sets with layers, of a core with pages of every class: dumps of them, and what is said about what was
# left out and what is missing.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

maker=$builddir/tests/unit/make_layered_core
[ -x "$maker" ] || skip "make_layered_core was not built: it needs check"
have_codec zlib || skip "this build has no zlib"
"$builddir/tests/unit/make_kinds_core" > made 2>&1 || fail "make_kinds_core: $(cat made)"

# layered LEVEL HOW MEMBER...
layered() {
	"$maker" "$@" > made 2>&1 || fail "make_layered_core: $(cat made)"
}

layered 0 whole all-a all-b
layered 16 whole free-a free-b
layered 31 whole a b
layered 31 after-all after-a after-b
layered 0 cut-off cut-a cut-b

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
	expect_status 0 njoin -f --progress=never --format=kdump --compress=zlib -o new "$@"
	expect_err "$text"
}

offline="offline 16.0 KiB"
captured="njoin: left out when captured"
all="9.1 MiB (private 40.0 KiB, clean 600.0 KiB, anonymous 2.4 MiB, hugetlb 2.0 MiB, free 4.0 MiB, $offline)"
after="4.7 MiB (private 40.0 KiB, clean 600.0 KiB, free 4.0 MiB, $offline)"

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
has new 30 cache private user free
made "$captured: $after
njoin: left out: $user" -d 8 after-a after-b
has new 30 cache private user free
made "$captured: 16.0 KiB ($offline)
njoin: left out: $cache, $private, $user, $free" -d 31 all-a all-b
has new 30 cache private user free

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
njoin -o - after-b > out 2> err && fail "njoin says that it is complete"
tail -n 1 err > told
same told want
[ ! -s out ] || fail "njoin has written a part to standard output"
# A range that is complete can be written, also there.
njoin -q --range=1048576:1048576 -o - after-a > out 2> err || fail "$(cat err)"
tail -c +1048577 kinds | head -c 1048576 | cmp -s - out || fail "the second MiB differs"

# What is left out is not missing, also if something else is: a record of layer 1 is damaged.  The kernel
# image is an alias of a part of it.
dd if=/dev/zero of=b bs=4096 seek=1280 count=1 conv=notrunc 2> dd.err || fail "$(cat dd.err)"
damaged="njoin: b: damaged at byte 5128192: record of bytes 16777216 to 17825791 of the source"
expect_status 1 njoin --progress=never --format=kdump -o new a b
expect_err "$damaged"
[ ! -e new ] || fail "njoin has written a file"
lost="$damaged
$captured: $all
njoin: missing: bytes 16785408 to 17825791
njoin: missing: bytes 34086912 to 34152447
njoin: missing: 1.1 MiB in total"
expect_status 3 njoin --progress=never --salvage -o new a b
expect_err "$lost"
expect_status 3 njoin --progress=never --salvage --format=kdump -f -o new a b
expect_err "$lost
njoin: missing: 254 pages of 4096 bytes"
# Without the kernel image, nothing more can be left out.
expect_status 3 njoin -q --salvage --format=kdump -d 31 -f -o new a b
reason="are kept: the kernel image has no pointers by which the kinds of pages are checked"
expect_err "$damaged
njoin: pages of class cache $reason
njoin: pages of class private $reason
njoin: pages of class user $reason
njoin: pages of class free $reason
njoin: missing: bytes 16785408 to 17825791
njoin: missing: bytes 34086912 to 34152447
njoin: missing: 1.1 MiB in total
njoin: missing: 254 pages of 4096 bytes"
