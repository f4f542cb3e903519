#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --dry-run shows what would be done, and changes nothing.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

head -c 5000 "$srcdir/COPYING" > core
echo precious > old
chmod 644 old

expect_status 2 nsplit -n core new old
expect_err "nsplit: old: already exists; use -f to overwrite"
expect_status 0 nsplit -n --overwrite-dumps -c -j3 --stats=stats core new old /dev/null
expect_err "nsplit: warning: /dev/null: keeps nothing of what is written to it; this part of the dump is not stored"
sed '$d' out > lines
cat > want << END
source: core, 4.9 KiB
codec: lzo, blocks of 4096 bytes, chunks of 1048576
threads: 3
output 0: new, file
output 1: old, file, overwritten
output 2: /dev/null, stream
END
same lines want
tail -n 1 out | grep -qx 'memory: [0-9.]* MiB = 1 chunk x [0-9.]* [KM]iB + 3 threads x [0-9.]* [KM]iB + 3 outputs x [0-9.]* [KM]iB + 2 B list of chunks + [0-9.]* MiB program' ||
	fail "$(tail -n 1 out)"
absent new stats
[ "$(cat old)" = precious ] || fail "a dry run writes"
[ "$(stat -c %a old)" = 644 ] || fail "a dry run changes modes"

expect_status 0 nsplit -n -c core null:
grep -qx 'output 0: null:, null' out || fail "$(cat out)"

expect_status 0 nsplit --dry-run --serial - new < core
grep -qx 'source: standard input, a stream of unknown length' out || fail "$(cat out)"
grep -qx 'threads: none' out || fail "$(cat out)"

# Each output that cannot be opened is reported.
expect_status 1 nsplit -n core new nowhere/a neither/b
expect_err "nsplit: nowhere/a: the directory nowhere does not exist; it would be given up
nsplit: neither/b: the directory neither does not exist; it would be given up"
grep -q '^memory: ' out || fail "no plan: $(cat out)"
absent new
