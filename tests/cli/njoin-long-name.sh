#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An output may have the longest name that the file system allows, although its temporary name is
# different.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 300000 core
nsplit -q -c core a b
mkdir d

# name LETTER TIMES: prints LETTER TIMES times
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

# Letters of two and three bytes, which must not be cut.
for letter in "$(printf '\303\251')" "$(printf '\342\202\254')"; do
	long=x$(name "$letter" 84)
	expect_status 0 njoin -q -o "d/$long" a b
	same "d/$long" core
	rm d/*
done
