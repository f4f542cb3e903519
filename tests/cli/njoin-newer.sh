#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A member of a later format is not reported as damaged, but as made by a newer nsplit.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# newer HEAD CHECKSUM: makes a superblock that contains nothing else, with the XXH3 of its first
# 4088 bytes, in octal (doc/format.md, sections 3 and 4)
newer() {
	# shellcheck disable=SC2059 # escapes are what they are for
	printf "nsplitSB$1" > newer
	truncate -s 4088 newer
	# shellcheck disable=SC2059
	printf "$2" >> newer
	truncate -s 8192 newer
}

mkdir d
# Version 2; and version 1 with an unknown feature.
for what in version feature; do
	if [ $what = version ]; then
		newer '\002' '\300\121\275\100\153\216\134\351'
	else
		newer '\001\000\000\000\000\000\000\000\002' '\264\134\054\155\004\156\347\011'
	fi
	text="the superblock at byte 0 is from a newer nsplit; this one reads format version 1"
	expect_status 1 njoin -q -o d/new newer
	expect_err "njoin: newer: $text"
	expect_status 1 njoin --verify -q newer
	expect_err "njoin: newer: $text"
	expect_status 1 njoin -q -o d/new - < newer
	expect_err "njoin: standard input: $text"
	expect_status 1 njoin -q --salvage -o d/new newer
	expect_err "njoin: newer: $text
njoin: no member can be read"
	[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"
	# With one changed byte, it is damaged.
	printf x | dd of=newer bs=1 seek=2000 conv=notrunc 2> dd.err || fail "$(cat dd.err)"
	expect_status 1 njoin -q -o d/new newer
	expect_err "njoin: newer: damaged at byte 0: superblock"
done
