#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Standard output receives the member and nothing else, whatever messages there are.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 3000000 core
uuid=123e4567-e89b-42d3-a456-426614174000
SOURCE_DATE_EPOCH=1000000000
export SOURCE_DATE_EPOCH

# Several workers write their records in any order.
of_core() {
	rm -f joined
	njoin -q -o joined "$1" 2> err || fail "$1 is not one member: $(cat err)"
	same joined core
}

expect_status 0 nsplit -q -j1 --uuid=$uuid core member
for options in '-j2 -q' '-j2 --progress=always -v' '--serial' '-j4 --stats=stats'; do
	# shellcheck disable=SC2086 # a list of options
	expect_status 0 nsplit $options --uuid=$uuid core -
	of_core out
	# shellcheck disable=SC2086
	nsplit $options --uuid=$uuid core - 2> err | cat > piped || fail "a pipe"
	of_core piped
done
for options in '-j1 --progress=always -v' '--serial -v'; do
	# shellcheck disable=SC2086
	nsplit $options --uuid=$uuid core - 2> err | cat > piped || fail "a pipe"
	same piped member
done
expect_status 0 nsplit -q core -
expect_err ""

# From standard input: only the source's name and size may differ.
expect_status 0 nsplit -q -j1 --uuid=$uuid - - < core
cp out streamed
[ "$(wc -c < streamed)" -eq "$(wc -c < member)" ] || fail "a stream gives another member"
cmp -l streamed member | awk '{ at = $1 - 1; if (at >= 4096 && at < '"$(wc -c < member)"' - 4096) exit 1 }' ||
	fail "a stream gives other records"
