#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin reads flattened dumps whose pieces cannot be read to the end: what came before is kept, and the reason is
# reported.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3
have_codec zlib || skip "this build has no zlib"

python3 -B "$srcdir/tests/readers/core.py" core
expect_status 0 njoin -q -j1 --format=kdump --compress=zlib -o first core
expect_status 0 njoin -q -j1 -o dump first
mkdir d
piece=10000
python3 "$srcdir/tests/cli/flatten.py" dump $piece > flat
[ "$(wc -c < flat)" -gt 300000 ] || fail "the dump is too small: $(wc -c < flat)"

# The header of the 21st piece, behind the bitmaps.
at=$((4096 + 20 * (16 + piece)))
# What is left is the same as of a dump that ends there.
head -c $at flat > short
expect_status 3 njoin --progress=never -j1 -o d/short short
grep '^njoin: missing: ' err > missing
[ -s missing ] || fail "nothing is missing: $(cat err)"

# repaired NAME TEXT: from the file flat, with this message
repaired() {
	same d/new d/short
	grep '^njoin: missing: ' err > got
	same got missing
	grep -v '^njoin: missing: ' err > other
	echo "njoin: $1: $2" > want
	same other want
	rm d/new
}

cp flat hurt
printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' | dd of=hurt bs=1 seek=$at conv=notrunc 2> dd.err
broken="damaged at byte $at: not the header of a piece of a flattened dump; what follows it cannot be read"
expect_status 3 njoin --progress=never -j1 -o d/new hurt
repaired hurt "$broken"
in_pipe cat hurt | expect_status 3 njoin --progress=never -j1 -o d/new -
repaired "standard input" "$broken"
expect_status 3 njoin --info hurt
grep -q '^file: hurt, .*, flattened, not readable to its end$' out || fail "--info: $(cat out)"
expect_status 3 njoin --info --json hurt
grep -q '"cut": false' out || fail "--info --json: $(cat out)"
# In place of the first piece: nothing is left.
head -c 8000 flat > hurt
printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' | dd of=hurt bs=1 seek=4096 conv=notrunc 2> dd.err
expect_status 1 njoin -q -o d/new hurt
expect_err "njoin: hurt: damaged at byte 4096: not the header of a piece of a flattened dump; what follows it \
cannot be read"

# A disk that cannot be read there.
need_inject njoin
expect_status 3 injected "pread:flat:@$at-$((at + 16)):EIO" njoin --progress=never -j1 -o d/new flat
repaired flat "what follows byte $at of the flattened dump cannot be read: Input/output error"
