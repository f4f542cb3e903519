#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A search that would take hours shows its progress, and a signal ends it.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_root "a loop device"
need losetup
mkfakevmcore -s 500000 -p random core
nsplit -q --raw --chunksize=64K core a
# Unlike a file, a device has no holes that could be skipped.
head -c -8192 a > disk
truncate -s 8T disk 2> err || skip "no sparse files of 8 TiB here: $(cat err)"
device=$(losetup -f --show disk 2> loop.err) || skip "no loop device: $(cat loop.err)"
njoin=
clean() {
	[ -z "$njoin" ] || kill -KILL "$njoin" 2> /dev/null || :
	losetup -d "$device"
	lib_clean
}
trap clean EXIT

njoin --progress=always --salvage -o new "$device" 2> err &
njoin=$!
wait_for still_says "$njoin" ' of 8.0 TiB searched, '
kill -TERM "$njoin"
status=0
wait "$njoin" || status=$?
njoin=
[ $status -eq 143 ] || fail "status $status and not 143: $(cat err)"
absent new
grep -q "^njoin: $device: has no footer at byte " err || fail "$(cat err)"
