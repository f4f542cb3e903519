#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --list-codecs lists the codecs, each of them works, and a wrong codec or level is refused.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 100000 core

expect_status 0 nsplit --list-codecs
expect_err ""
grep -qx raw out || fail "raw is not listed"
grep -qx lzo out || fail "LZO is not listed"
cp out codecs
while read -r name rest; do
	expect_status 0 nsplit -q -C "$name" core "member-$name"
	expect_err ""
	if [ -n "$rest" ]; then
		# "levels 1 to 22, default 1"
		# shellcheck disable=SC2086 # words
		set -- ${rest%,*}
		low=$2 high=$4
		expect_status 0 nsplit -q -C "$name:$low" core "member-$name-low"
		expect_status 0 nsplit -q -C "$name:$high" core "member-$name-high"
		for level in $((low - 1)) $((high + 1)); do
			expect_usage nsplit "$name: level $level is out of range; use $low to $high" \
				-q -C "$name:$level" core new
		done
		expect_usage nsplit "$name: level 'x' is not a number" -C "$name:x" core new
	else
		expect_usage nsplit "codec '$name' takes no level" -C "$name:1" core new
	fi
done < codecs

# The short options mean the same, and the last one applies.
for pair in r:raw c:lzo s:snappy l:lz4 z:zstd; do
	letter=${pair%:*} name=${pair#*:}
	if have_codec "$name"; then
		expect_status 0 nsplit -n "-$letter" core new
		grep -q "^codec: ${name}[,:]" out || fail "-$letter is not $name: $(cat out)"
		expect_status 0 nsplit -n -r -c "--$name" core new
		grep -q "^codec: ${name}[,:]" out || fail "--$name is not $name: $(cat out)"
	else
		expect_usage nsplit "codec '$name' was left out of this build" -n "-$letter" core new
	fi
done

# With auto, each record names its codec, and the set says auto.
expect_status 0 nsplit -q -C auto core member-auto
expect_err ""
expect_status 0 njoin -q -o joined member-auto
same core joined
expect_status 0 njoin --info member-auto
grep -q "auto" out || fail "not auto: $(cat out)"
expect_usage nsplit "--stripe cannot be combined with --compress=auto" -C auto --stripe core new
expect_usage nsplit "codec 'auto' takes no level" -C auto:1 core new

expect_usage nsplit "unknown codec 'aut'; do you mean 'auto'? --list-codecs lists all" -C aut core new
expect_usage nsplit "unknown codec 'frob'; --list-codecs lists them" -C frob core new
expect_usage nsplit "unknown codec ''; --list-codecs lists them" -C '' core new
absent new
