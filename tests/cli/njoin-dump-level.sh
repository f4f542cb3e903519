#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin --dump-level and --exclude: which pages are left out, and what is said about it.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

make_core kinds
make_core log
have_codec zlib || skip "this build has no zlib"
nsplit -q -C zlib kinds a b
nsplit -q -C zlib doubted c d
nsplit -q ring e

# usage TEXT ARGUMENT...
usage() {
	expect_usage njoin "$@"
	absent new
}

# An empty word, and one that is not complete.
words="the classes are zero, cache, private, user and free"
level="is not a dump level, which is a number from 0 to 31: the sum of 1 (zero), 2 (cache), 4 (private), \
8 (user) and 16 (free)"
usage "-d: '32' $level" --format=kdump -d 32 -o new a b
usage "-d: '-1' $level" --format=kdump -d -1 -o new a b
usage "-d: ' ' $level" --format=kdump -d ' ' -o new a b
usage "--dump-level: '1x' $level" --format=kdump --dump-level=1x -o new a b
usage "-d: '99999999999999999999' $level" --format=kdump -d 99999999999999999999 -o new a b
usage "--exclude: unknown class of pages 'frei'; $words" --format=kdump --exclude=user,frei -o new a b
usage "--exclude: unknown class of pages ''; $words" --format=kdump --exclude=free, -o new a b
require="--dump-level and --exclude require --format=kdump"
usage "$require" -d 31 -o new a b
usage "$require" -d 0 --list a b
usage "$require" --exclude=free --verify a b

# has LEVEL WORD...: the file has all pages but those of these classes
has() {
	python3 -B "$srcdir/tests/cli/kdump-level.py" kinds class new "$@" > told 2>&1 ||
		fail "level $1: $(cat told)"
	rm new
}

cache="cache 150 pages (600.0 KiB)"
private="private 10 pages (40.0 KiB)"
user="user 1124 pages (4.4 MiB)"
free="free 1036 pages (4.0 MiB)"

# made TEXT ARGUMENT...: njoin writes the file, and this on standard error
made() {
	text=$1
	shift
	expect_status 0 njoin --progress=never --format=kdump -o new "$@"
	expect_err "$text"
}

made "" -d 0 a b
has 0
made "" -d 1 a b
has 1
made "njoin: left out: $cache" -d 2 a b
has 2 cache
made "njoin: left out: $cache, $private" -d 4 a b
has 6 cache private
made "njoin: left out: $user" --dump-level=8 a b
has 8 user
made "njoin: left out: $free" -d16 a b
has 16 free
made "njoin: left out: $cache, $private, $user, $free" -d 31 a b
has 31 cache private user free
made "" -q -d 31 a b
has 31 cache private user free
made "njoin: left out: $free" --exclude=zero,free a b
has 17 free
made "njoin: left out: $user, $free" --exclude=free -d 8 b a
has 24 user free
made "njoin: left out: $cache, $private, $free" --exclude=private --exclude=free -j 7 b a
has 22 cache private free
# The same of the core itself.
made "njoin: left out: $cache, $private, $user, $free" --compress=zlib -d 31 kinds
has 31 cache private user free

# Cut short, but nothing is missing: the end is the kernel image, which the memory around it also has.
cp kinds cut
truncate -s -4096 cut
made "njoin: left out: $free" --compress=zlib -d 16 cut
has 16 free

# A class that is not believed is kept, and nothing is lost by it.
without_reason() {
	sed 's/\(: pages of class [a-z]* are kept: \).*/\1REASON/' err > told
}

expect_status 0 njoin --progress=never --format=kdump -d 31 -o new c d
without_reason
printf '%s\n' "njoin: pages of class user are kept: REASON" \
	"njoin: left out: $cache, $private, $free" > want
same told want
python3 -B "$srcdir/tests/cli/kdump-level.py" doubted class new 23 cache private free > told 2>&1 ||
	fail "$(cat told)"
expect_status 0 njoin -q --overwrite-dumps --format=kdump --exclude=user -o new c d
without_reason
echo "njoin: pages of class user are kept: REASON" > want
same told want
python3 -B "$srcdir/tests/cli/kdump-level.py" doubted class new 0 > told 2>&1 || fail "$(cat told)"
rm new

# Without kinds, no page is left out.
expect_status 0 njoin --progress=never --format=kdump -d 31 -o new e
expect_err "njoin: no pages are left out: the core does not describe its pages: VMCOREINFO has no valid SIZE(page)"
rm new

# What each level would keep.
expect_status 0 njoin --list a b
expect_err ""
sed -n '/^class/,/^records/p' out | sed 's/  */ /g' > told
cat > want << END
class: cache 150 0.6 MiB 1.8 %
class: private 10 0.0 MiB 0.1 %
class: user 1124 4.4 MiB 13.5 %
class: free 1036 4.0 MiB 12.5 %
kept: level 1 8320 32.5 MiB 100.0 %
kept: level 17 7284 28.5 MiB 87.5 %
kept: level 23 7124 27.8 MiB 85.6 %
kept: level 25 6160 24.1 MiB 74.0 %
kept: level 31 6000 23.4 MiB 72.1 %
records: not checked; njoin --verify checks them
END
same told want
expect_status 0 njoin --list c d
sed -n '/^class/,/^records/p' out | sed 's/  */ /g; s/: [0-9]* pointers.*/: REASON/' > told
cat > want << END
class: cache 150 0.6 MiB 1.8 %
class: private 10 0.0 MiB 0.1 %
class: user 1124 4.4 MiB 13.5 %
class: free 1036 4.0 MiB 12.5 %
class: user: kept by every dump level: REASON
kept: level 1 8320 32.5 MiB 100.0 %
kept: level 17 7284 28.5 MiB 87.5 %
kept: level 23 7124 27.8 MiB 85.6 %
kept: level 25 7284 28.5 MiB 87.5 %
kept: level 31 7124 27.8 MiB 85.6 %
records: not checked; njoin --verify checks them
END
same told want
expect_status 0 njoin --list --json c d
python3 - out << 'END' || fail "the JSON object: $(cat out)"
import json, sys

with open(sys.argv[1], encoding="utf-8") as f:
    told = json.load(f)
classes = {c.pop("name"): c for c in told["page_classes"]}
if "pointers" not in classes["user"].pop("why"):
    sys.exit("no reason")
want = {
    "cache": {"level": 2, "pages": 150, "trusted": True},
    "private": {"level": 4, "pages": 10, "trusted": True},
    "user": {"level": 8, "pages": 1124, "trusted": False},
    "free": {"level": 16, "pages": 1036, "trusted": True},
}
if classes != want:
    sys.exit("%r" % classes)
left = [150 * (n & 2 > 0 or n & 4 > 0) + 10 * (n & 4 > 0) + 1036 * (n & 16 > 0) for n in range(32)]
if told["kept_by_level"] != [8320 - n for n in left]:
    sys.exit("%r" % told["kept_by_level"])
END

# Classes that are kept for the same reason are in one message.
sed 's/OFFSET(page.mapping)/OFFSET(page.nothing)/' kinds > odd
expect_status 0 njoin --progress=never --format=kdump -d 31 -o new odd
expect_err "njoin: pages of classes cache, private, user are kept: VMCOREINFO has no valid OFFSET(page.mapping)
njoin: left out: $free"
rm new
