#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin reports too little space before it writes, as an error where it is certain, and as a warning
# where it is possible.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"
need python3

mkfakevmcore -s 4M -p random core
nsplit -q -c --raw core a b
head -c 4M /dev/zero > zeros
nsplit -q -c zeros z
make_tmpfs small 1M

# refused OPTION...: nothing was written, and nothing is left
refused() {
	expect_status 1 njoin -q "$@"
	[ -z "$(ls -A small)" ] || fail "something is left: $(ls -A small)"
}

refused -o small/new a b
sed 's/at least [0-9.]* MiB/at least SOME/' err > told
[ "$(cat told)" = "njoin: small/new: its file system has 1.0 MiB free, but at least SOME are needed; nothing was written; free some space, or choose another output" ] ||
	fail "$(cat err)"
refused --no-sparse -o small/new z
expect_err "njoin: small/new: its file system has 1.0 MiB free, but at least 4.0 MiB are needed; nothing was written; free some space, or choose another output"

# A range that fits, and zeros, which need no space.
expect_status 0 njoin -q --range=1M:512K -o small/new a b
expect_err ""
tail -c +1048577 core | head -c 524288 | cmp - small/new || fail "not the range"
rm small/new
expect_status 0 njoin -q -o small/new z
expect_err "njoin: small/new: may have too little space: up to 4.0 MiB needed, 1.0 MiB free; writing it anyway"
same small/new zeros
rm small/new

# Blocks that compressed well may be zeros; njoin cannot know before it reads them.
yes "this line is packed well" | head -c 4M > text
nsplit -q -c -C lzo text t
expect_status 1 njoin -q -o small/new t
grep -q '^njoin: small/new: may have too little space: up to ' err || fail "$(cat err)"
grep -q '^njoin: small/new: No space left on device$' err || fail "$(cat err)"
[ -z "$(ls -A small)" ] || fail "something is left: $(ls -A small)"

# No space for the copies of members from pipes: the sender of both waits for nobody.
mkfifo p q
{
	dd if=a bs=64K count=1 >&3
	exec 4> q
	for block in $(seq 1 63); do
		dd if=b bs=64K skip=$((block - 1)) count=1 >&4
		dd if=a bs=64K skip="$block" count=1 >&3
	done
} 3> p 2> dd.err &
sender=$!
TMPDIR=$PWD/small expect_status 1 timeout -s KILL 60 njoin -q --info p q
wait $sender || :
grep -q "^njoin: $PWD/small: no temporary copy of the member [pq]: No space left on device\$" err ||
	fail "$(cat err)"

# A pipe and /dev/null have no limit.
expect_status 0 njoin -q -o /dev/null a b
expect_err ""

# A device is not written.
head -c 1M core > disk
cp disk disk.copy
make_loop disk
expect_status 1 njoin -q --overwrite-dumps -o "$loop" a b
expect_err "njoin: $loop: has 1.0 MiB, but 4.0 MiB are needed; nothing was written; choose a larger device"
same disk disk.copy
expect_status 1 njoin -q --overwrite-dumps -o "$loop" z
expect_err "njoin: $loop: has 1.0 MiB, but 4.0 MiB are needed; nothing was written; choose a larger device"
same disk disk.copy

# For the kdump-compressed form: the part whose size does not depend on the pages.
python3 -B "$srcdir/tests/cli/hostile-cores.py" high high
nsplit -q -c high h
expect_status 1 njoin -q --overwrite-dumps --format=kdump -o "$loop" h
expect_err "njoin: $loop: has 1.0 MiB, but 4.0 TiB are needed; nothing was written; choose a larger device"
same disk disk.copy
expect_status 1 njoin -q --format=kdump --no-sparse -o small/new h
expect_err "njoin: small/new: its file system has 1.0 MiB free, but at least 4.0 TiB are needed; nothing was written; free some space, or choose another output"

# dumps KIND OUTPUT...: like refused, of a core of hostile-cores.py
dumps() {
	python3 -B "$srcdir/tests/cli/hostile-cores.py" "$1" "$1" 2> made || skip "no large file: $(cat made)"
	refused --format=kdump "$1" "$2" ${3+"$3"}
}

# A bit for each page of memory, and a descriptor for each page that is present, holes included.
dumps tail -osmall/new
expect_err "njoin: small/new: its file system has 1.0 MiB free, but at least 32.3 MiB are needed; nothing was written; free some space, or choose another output"
dumps holes -osmall/new
expect_err "njoin: small/new: its file system has 1.0 MiB free, but at least 6.1 MiB are needed; nothing was written; free some space, or choose another output"
# Both parts have the headers and bitmaps.
make_tmpfs larger 6256K
expect_status 0 njoin -q --format=kdump -o larger/new holes
rm larger/new
expect_status 1 njoin -q --format=kdump -o larger/new -o larger/other holes
expect_err "njoin: larger/new: its file system has 6.1 MiB free, but at least 6.1 MiB are needed; nothing was written; free some space, or choose another output"
[ -z "$(ls -A larger)" ] || fail "something is left: $(ls -A larger)"

# A file system whose free space is not certain.
mkdir lower small/upper small/work merged
at_exit "retry unmount merged || umount -l merged"
mount -t overlay -o "lowerdir=lower,upperdir=small/upper,workdir=small/work" none merged 2> mount.err ||
	{ echo "no overlay here: $(cat mount.err)"; exit 0; }
expect_status 1 njoin -q --format=kdump -o merged/new holes
expect_err "njoin: merged/new: may have too little space: at least 6.1 MiB needed, 1.0 MiB free; writing it anyway
njoin: merged/new: No space left on device"
[ -z "$(ls -A merged)" ] || fail "something is left: $(ls -A merged)"
