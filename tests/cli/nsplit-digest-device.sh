#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --digest on a block device: the digest of a dump is that of its bytes, without the rest of the device, and
# there is no file beside it; a member has its root in both footers.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3 sha256sum losetup
need_root "a loop device"

make_core kinds
have_codec zlib || skip "this build has no zlib"
nsplit --dry-run --digest kinds new > out 2> err || skip "this build has no SHA-256"
head -c 8M /dev/urandom > disk
device=$(losetup -f --show disk 2> loop.err) || skip "no loop device: $(cat loop.err)"
trap 'losetup -d "$device"; lib_clean' EXIT

for engine in -j2 --serial; do
	expect_status 0 nsplit --overwrite-dumps --overwrite-devices $engine -C zlib --format=kdump --digest --stats=stats kinds "$device"
	bytes=$(python3 -c 'import json; print(json.load(open("stats"))["sinks"][0]["bytes"])')
	sum=$(head -c "$bytes" "$device" | sha256sum | sed 's/ .*//')
	grep -qx "nsplit:     SHA-256 $sum" err || fail "$bytes bytes have $sum: $(cat err)"
	absent "$device.sha256"
	expect_status 0 njoin -q --verify "$device"
done

expect_status 0 nsplit -q --overwrite-dumps --overwrite-devices -c --digest kinds "$device"
expect_status 0 njoin --verify "$device"
grep -qE "^njoin: $device: root verified: [0-9a-f]{64}$" err || fail "member: $(cat err)"
