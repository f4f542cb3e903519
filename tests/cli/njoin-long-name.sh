#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An output may have a name as long as the file system allows, though it has another one before.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 300000 core
nsplit -q -c core a b
mkdir d

# name LETTER TIMES: a name of that letter
name() {
	printf "%${2}s" "" | sed "s/ /$1/g"
}

for length in 248 249 252 255; do
	long=$(name x $length)
	expect_status 0 njoin -q -o "d/$long" a b
	same "d/$long" core
	[ "$(ls -A d)" = "$long" ] || fail "something else is left: $(ls -A d)"
	rm d/*
done
expect_status 1 njoin -q -o "d/$(name x 256)" a b
expect_err "njoin: d/$(name x 256): File name too long"

# Letters of two and three bytes, which no cut may fall into.
for letter in "$(printf '\303\251')" "$(printf '\342\202\254')"; do
	long=x$(name "$letter" 84)
	expect_status 0 njoin -q -o "d/$long" a b
	same "d/$long" core
	rm d/*
done
