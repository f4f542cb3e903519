#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --size-limit, --keep-free and --time-limit: the set is closed, never exceeds them by more than a record for each output,
# and one sentence says what it has.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 8M -p random core

# saved PATTERN: the sentence matches, and nothing else is said but what is missing
saved() {
	grep -v -e '^nsplit: missing: ' -e 'not captured first: the core does not describe' err > told || fail "nothing is said"
	grep -qx "nsplit: saved: $1" told && [ "$(wc -l < told)" -eq 1 ] || fail "expected '$1': $(cat err)"
}

# within BYTES FILE...: together they have no more than this, and less by two records and the indexes at most
within() {
	most=$1
	shift
	total=$(cat "$@" | wc -c)
	[ "$total" -le "$most" ] && [ "$total" -gt $((most - 2200000)) ] || fail "$total bytes instead of $most"
}

for engine in --serial -j1 -j4; do
	for size in 3000000 6M; do
		bytes=$(case $size in *M) echo $((${size%M} << 20)) ;; *) echo $size ;; esac)
		expect_status 3 nsplit -q $engine --size-limit=$size core a
		saved "[2-7][0-9] % of the source; the limit of [0-9.]* MiB is reached"
		within "$bytes" a
		rm a
		expect_status 3 nsplit -q $engine --size-limit=$size --stats=figures core a b c d
		saved "[2-7][0-9] % of the source; the limit of [0-9.]* MiB is reached"
		within "$bytes" a b c d
		closed a b c d
		grep -q '"limit": "size"' figures || fail "$(cat figures)"
		expect_status 3 nsplit -q $engine --size-limit=$size core '|cat > e' -
		within "$bytes" e out
		closed e out
		rm a b c d e figures
	done
done

# Of a kernel, what has the most value comes first, with -d or without.
make_core kinds
for engine in --serial -j4; do
	expect_status 3 nsplit -q $engine --size-limit=28M kinds a
	saved "all kernel pages, all anonymous pages.* and .* pages; the limit of 28.0 MiB is reached"
	expect_status 3 njoin --info a
	grep -qx 'captured: user (anonymous): .* kept (layer [0-9])' out && grep -qx 'captured: free: .* missing (layer [0-9])' out ||
		fail "$(cat out)"
	expect_status 3 nsplit -q $engine -d 8 --size-limit=25M --format=kdump kinds b
	saved "all kernel pages.* and .* pages; the limit of 25.0 MiB is reached"
	expect_status 3 njoin -q --verify b
	# In a stream, classes are chosen before.
	expect_status 3 nsplit -q $engine --size-limit=33M --format=kdump kinds -
	expect_err "nsplit: left out, because they would not fit the limit of 33.0 MiB: free, offline, poisoned
nsplit: saved: all kernel pages, all private pages, all clean pages, all anonymous pages and all hugetlb pages; the limit of \
33.0 MiB is reached"
	mv out c
	[ "$(wc -c < c)" -le $((33 << 20)) ] || fail "$(wc -c < c) bytes"
	expect_status 0 njoin -q --verify c
	rm a b c
done

# An output that has reached a limit is not full; a page in the list of a CPU is not called the kernel's, of which all is there.
python3 -B - << 'END'
import struct
core = bytearray(open("kinds", "rb").read())
page = struct.unpack_from("<Q", core, 184)[0] + 7000 * 64
struct.pack_into("<QQQQQQii", core, page, 0, 0xffffea0000000008, 0xffffea0000000048, 0, 0, 0, -1, 0)
open("kinds", "wb").write(core)
END
expect_status 3 nsplit --size-limit=28M kinds a
! grep ', full' err || fail "$(cat err)"
grep -q 'saved: all kernel pages' err && grep -q 'missing by class: .*cpu-free 4.0 KiB' err || fail "$(cat err)"
! grep 'missing by class:.*kernel' err || fail "$(cat err)"
rm a
expect_usage nsplit "--time-limit: '10x' is not a time; use a number with s, m or h, as in 10m" --time-limit=10x core a
expect_usage nsplit "--time-limit 1001h is out of range; use 1 second to 1000 hours" --time-limit=1001h core a
need_root
mkdir small
mount -t tmpfs -o size=8m tmpfs small 2> mount.err || skip "no tmpfs: $(cat mount.err)"
clean() {
	umount "$lib_dir/small" || :
	lib_clean
}
trap clean EXIT
expect_status 3 nsplit -q --keep-free=5M --stats=figures core small/a
sed 's/; [0-9.]* MiB kept/; SIZE kept/; s/saved: [1-3][0-9] %/saved: SHARE/' err | grep -v ': missing: ' > told
cat > want << 'TEXT'
nsplit: warning: the most valuable pages are not captured first: the core does not describe its pages: VMCOREINFO has no valid OFFSET(page.flags)
nsplit: small/a: the limit of 5.0 MiB of free space is reached; SIZE kept, no output is left; free some space, add outputs, or use --fallback
nsplit: saved: SHARE of the source; the limit of 5.0 MiB of free space is reached
TEXT
same told want
grep -q '"limit": "free"' figures || fail "$(cat figures)"
[ "$(stat -f -c %a small)" -ge 1280 ] || fail "$(stat -f small)"
rm small/a
expect_status 0 nsplit -q --keep-free=5M --fallback=a core small/a
joined small/a a
