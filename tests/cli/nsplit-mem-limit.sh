#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --mem-limit: too small is refused with the least that works, and that works.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 300000 core

for options in '-j1' '-c -j4' '--serial -b 64K'; do
	# shellcheck disable=SC2086 # a list of options
	expect_status 2 nsplit $options --mem-limit=1M core 'm{0..2}'
	grep -qx 'nsplit: --mem-limit=1048576 is too small; the least that works with these options is [0-9]* bytes' err ||
		fail "$(cat err)"
	absent m0
	least=$(sed 's/.* \([0-9]*\) bytes$/\1/' err)
	# shellcheck disable=SC2086
	expect_status 2 nsplit $options --mem-limit=$((least - 1)) core 'm{0..2}'
	# shellcheck disable=SC2086
	expect_status 0 nsplit -q $options --mem-limit="$least" core 'm{0..2}'
	closed m0 m1 m2
	# shellcheck disable=SC2086
	expect_status 0 nsplit -n $options --mem-limit="$least" core new
	grep -q '= 1 chunks x\|= [2-9] chunks x' out || fail "$(cat out)"
	rm -f m0 m1 m2
done
