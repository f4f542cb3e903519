#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --drill on a full file system, and on block devices, which are blank again afterwards.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

[ ! -e /proc/vmcore ] || skip 'this is a capture kernel, and the test is for others'

# drill STATUS ARGUMENT...
drill() {
	drill_status=$1
	shift
	expect_status "$drill_status" nsplit --drill --drill-memory=60M --drill-size=8M -q -c /proc/vmcore "$@"
	sed -i -e '/ in memory (/d' -e '/the memory is not limited/d' -e 's/ in [0-9.]* s, .* of memory; / in N; /' err
}

# Far too small: nothing is written, and the disks of the running system are not filled.
make_tmpfs tiny 1M
expect_status 1 nsplit --drill --drill-memory=60M --drill-size=8M -q -c /proc/vmcore tiny/a
sed -i 's/can use [^,]*,/can use SOME,/' err
expect_err 'nsplit: drill failed: tiny/a.drill: the drill may write 4.0 MiB, and can use SOME, since it leaves 5 % of a file system free; free some space, add outputs, or use a smaller --drill-size'
absent tiny/a
# A fallback does not count, and neither does the space that must stay free.
make_tmpfs full 4200K
drill 1 --fallback=b full/a
grep -q '^nsplit: drill failed: full/a.drill: the drill may write 4.0 MiB, and can use 3.9 MiB, ' err || fail "$(cat err)"
absent full/a b

# What a crash would write to memory would be lost with the restart: the drill says so, with -q and of a fallback, too.
make_tmpfs mem 40M
for outputs in mem/a 'b mem/a' '--fallback=mem/a b'; do
	# shellcheck disable=SC2086 # several words
	expect_status 0 nsplit --drill --drill-memory=60M --drill-size=8M -q -c /proc/vmcore $outputs
	grep -qx 'nsplit: warning: mem/a.drill: is in memory (tmpfs); this part of the dump is lost when the machine restarts; mount the disk first, or copy the file before the restart' err ||
		fail "$outputs: $(cat err)"
	absent mem/a b
done

# Another output takes the rest; the drill fails even so.
drill 1 --stripe tiny/a b
grep -q '^nsplit: drill failed: 8.0 MiB in N; 1 of 2 outputs failed: tiny/a.drill: No space left on device; verified and removed$' err || fail "$(cat err)"
absent tiny/a b

truncate -s 20M image
cp image blank
make_loop image
# After a crash, it would be refused without -f.
drill 2 "$loop"
expect_err "nsplit: $loop: is a block device; use -f to overwrite
nsplit: drill failed: nothing was captured: $loop: is a block device; use -f to overwrite"
drill 0 -f "$loop"
expect_err ''
same image blank
drill 0 -f "$loop" a
expect_err ''
same image blank
absent a
# One that is too small.
truncate -s 2200K small
cp small blank
make_loop small
drill 1 -f "$loop"
grep -q "^nsplit: drill failed: $loop: the drill may write 4.0 MiB, and can use 2.1 MiB, " err || fail "$(cat err)"
same small blank

# One that fails or seems full, with data in its middle, which a drill does not look for: the data stays.
if (need_inject nsplit); then
	inject=$builddir/tests/faults/inject.so
	truncate -s 200M failing
	printf precious | dd of=failing bs=1M seek=150 conv=notrunc 2> dd.err
	cp --sparse=always failing before
	make_loop failing
	for error in EIO ENOSPC; do
		LD_PRELOAD=$inject INJECT="pwrite:${loop#/dev/}:6:$error" ASAN_OPTIONS=verify_asan_link_order=0 \
			drill 1 -f "$loop"
		grep -q '^nsplit: drill failed: .*; 1 of 1 output failed: .*; removed$' err || fail "$(cat err)"
		same failing before
	done
fi

# What is not blank is not touched: data at the end, or a member.
truncate -s 20M used
printf x | dd of=used bs=1 seek=$((20 * 1048576 - 1)) conv=notrunc 2> dd.err
cp used before
make_loop used
not_blank="nsplit: drill: $loop: is not blank, and a drill overwrites no device that holds something"
drill 2 -f --overwrite-devices "$loop"
expect_err "$not_blank"
same used before
mkfakevmcore -s 100000 core
truncate -s 0 used
truncate -s 20M used
loop_off used
make_loop used
nsplit -q --overwrite-dumps core "$loop"
cp used before
drill 2 -f "$loop"
expect_err "nsplit: drill: $loop: is not blank, and a drill overwrites no device that holds something"
same used before
drill 2 -f --filter='cat > "$FILE"' "$loop"
expect_err "nsplit: drill: $loop: is a block device, and a drill cannot remove what a filter writes to it"
same used before
