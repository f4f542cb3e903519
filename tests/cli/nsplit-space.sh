#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --check-params and --dry-run compare the free space of the outputs with the size of the source.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need mount umount losetup
need_root "a small file system"
clean() {
	umount "$lib_dir/one" "$lib_dir/two"
	[ -z "${device-}" ] || losetup -d "$device"
} 2> /dev/null
trap 'clean || :; lib_clean' EXIT
mkdir one two
for name in one two; do
	mount -t tmpfs -o size=10M small $name 2> mount.err || skip "no tmpfs: $(cat mount.err)"
done
truncate -s 39M fits
truncate -s 41M large
truncate -s 64M larger

packs='which usually compresses to between a quarter and a half'
raw='of which raw shortens only blocks that repeat one 8-byte value'
# little TEXT ARGUMENT...: the check fails with this message
little() {
	text=$1
	shift
	expect_status 1 nsplit --check-params "$@"
	expect_err "nsplit: $text; free some space, or add outputs"
}
# enough ARGUMENT...: the check prints nothing
enough() {
	expect_status 0 nsplit --check-params "$@"
	expect_err ''
}

# A quarter of the source is required; half of it without compression.
enough -c fits one/a
little "one/a: 10.0 MiB free; the source has 41.0 MiB, $packs" -c large one/a
little "one/a: 10.0 MiB free; the source has 39.0 MiB, $raw" fits one/a

# The space of a file system counts once for two outputs on it; the spaces of two file systems add
# up, with a fallback as well.
little "2 outputs: 10.0 MiB free; the source has 41.0 MiB, $packs" -c large one/a one/b
enough -c large one/a two/b
enough -c large one/a --fallback=two/b
# The space of a file that is overwritten counts as free.
head -c 9M /dev/zero > one/old
little "one/a: 1.0 MiB free; the source has 39.0 MiB, $packs" -c fits one/a
enough -c -f fits one/old
rm one/old

# The space of a command and the size of a stream are not known.
enough -c large one/a '|cat > b'
enough -c - one/a < large

# All of a device counts as free.
truncate -s 5M disk
if device=$(losetup -f --show disk 2> losetup.err); then
	enough -c -f larger one/a "$device" two/b
	little "2 outputs: 15.0 MiB free; the source has 64.0 MiB, $packs" -c -f larger one/a "$device"
fi

# What a limit keeps free is no space for a dump, and less than all of it is wanted then.
# limited TEXT ARGUMENT...: the only problem; "": there is none
limited() {
	text=$1
	shift
	expect_status $((${#text} > 0)) nsplit --check-params "$@"
	sed -i '/^nsplit: warning: the most valuable pages are not captured first: /d' err
	expect_err "$text"
}
limited "" -c --keep-free=6M larger one/a
limited "" -c --size-limit=9M larger one/a
end="free some space, or add outputs"
limited "nsplit: one/a: 0 B more than is kept free; the source has 64.0 MiB, $packs; $end" -c --keep-free=11M larger one/a
limited "nsplit: 2 outputs: 512.0 KiB more than is kept free; the source has 39.0 MiB, $raw; $end" --keep-free=9728K fits one/a one/b
limited "nsplit: one/a: 10.0 MiB free; the source has 64.0 MiB, $packs; $end" -c --size-limit=11M larger one/a

# A dry run prints both numbers without a warning.
expect_status 0 nsplit -n -c large one/a one/b
grep -qx "space: 10.0 MiB free; the source has 41.0 MiB, $packs" out || fail "$(cat out)"
expect_status 0 nsplit -n -c large one/a '|cat > b'
! grep '^space' out || fail 'the space of a command is not known'
