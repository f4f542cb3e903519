#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# With the entry in misc/nsplit.magic, file(1) knows a member.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need file
entry=$srcdir/misc/nsplit.magic

# known FILE TEXT
known() {
	LC_ALL=C TZ=UTC file -m "$entry" "$1" > out 2> err || fail "file: $(cat err)"
	expect_err ""
	expect_out "$1: $2"
}

mkfakevmcore -s 100000 core
SOURCE_DATE_EPOCH=1000000000 nsplit -q -c core a b
version=$(nsplit --version | sed '1s/.* //; q')
made="captured Sun Sep  9 01:46:40 2001 UTC by nsplit $version"
known a "nsplit dump, member 0 of 2, codec lzo, source of 100000 bytes, $made"
known b "nsplit dump, member 1 of 2, codec lzo, source of 100000 bytes, $made"
SOURCE_DATE_EPOCH=1000000000 nsplit -q --overwrite-dumps - a < core
known a "nsplit dump, member 0 of 1, codec raw, source of unknown size, $made"
file --brief --mime-type -m "$entry" a > out
expect_out application/x-nsplit

# A later version of the format.
printf '\002' | dd of=a bs=1 seek=8 conv=notrunc 2> dd.err
known a "nsplit dump of format version 2, which is newer than this entry"
known core data
# It can be compiled.
file -C -m "$entry" > out 2> err || fail "file -C: $(cat err)"
[ -e nsplit.magic.mgc ] || fail "file -C made no file"
