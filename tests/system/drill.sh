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
	sed -i -e '/ in memory (/d' -e '/planned for, but not limited/d' -e 's/ in [0-9.]* s, .* of memory; / in N; /' err
}

# Far too small: nothing is written, and the disks of the running system are not filled.
make_tmpfs tiny 1M
expect_status 1 nsplit --drill --drill-memory=60M --drill-size=8M -q -c /proc/vmcore tiny/a
sed -i 's/: [0-9.]* [KM]iB free/: SOME free/' err
expect_err 'nsplit: drill failed: tiny/a: SOME free; the source has 8.0 MiB, which usually compresses to between a quarter and a half; free some space, or add outputs'
absent tiny/a

make_tmpfs full 2200K
drill 1 full/a
sed -i 's/; [0-9.]* [KM]iB kept, /; SOME kept, /; /^nsplit: missing: /d; s/: [0-9.]* [KM]iB in N/: SOME in N/' err
expect_err 'nsplit: full/a: No space left on device; SOME kept, no output is left; free some space, add outputs, or use --fallback
nsplit: part of the source was not written to any output
nsplit: drill failed: SOME in N; 1 of 1 output failed; removed'
absent full/a
# Another output takes the rest; the drill fails even so.
drill 1 --stripe tiny/a b
grep -q '^nsplit: drill failed: 8.0 MiB in N; 1 of 2 outputs failed; verified and removed$' err || fail "$(cat err)"
absent tiny/a b

truncate -s 20M image
cp image blank
make_loop image
# After a crash, it would be refused without -f.
drill 2 "$loop"
expect_err "nsplit: $loop: is a block device; use -f to overwrite
nsplit: drill failed: nothing was captured"
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
grep -q '^nsplit: drill failed: .*; 1 of 1 output failed; removed$' err || fail "$(cat err)"
same small blank

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
nsplit -q -f core "$loop"
cp used before
drill 2 -f "$loop"
expect_err "nsplit: drill: $loop: is not blank, and a drill overwrites no device that holds something"
same used before
drill 2 -f --filter='cat > "$FILE"' "$loop"
expect_err "nsplit: drill: $loop: is a block device, and a drill cannot remove what a filter writes to it"
same used before
