#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --mem-limit: a value that is too small is refused with the smallest one that works, and that
# works.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 300000 core

for options in '-j1' '-c -j4' '--serial -b 64K'; do
	# shellcheck disable=SC2086 # a list of options
	expect_status 2 nsplit $options --mem-limit=1M core 'm{0..2}'
	grep -qx 'nsplit: --mem-limit=1048576 is too small; these options need at least [0-9]* bytes' err ||
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
	grep -q '= 1 chunk x\|= [2-9] chunks x' out || fail "$(cat out)"
	rm -f m0 m1 m2
done

# least OUTPUT...: prints the smallest limit that works with these
least() {
	expect_status 2 nsplit -j1 --mem-limit=1M "$@" core m0
	sed 's/.* \([0-9]*\) bytes$/\1/' err
}

# It includes the pipe of each command; of fallbacks, only one, since they are opened one after the
# other.
files=$(least --also='m{1..4}')
commands=$(least --also='m{1..2}' --also='|cat > m3' --also='|cat > m4')
[ "$commands" -eq $((files + 2097152)) ] || fail "$files with files, and $commands with two commands"
commands=$(least --also=m1 --also='|cat > m2' --fallback='|cat > m3' --fallback='|cat > m4')
[ "$commands" -eq $((files + 2097152)) ] || fail "$files with files, and $commands with fallbacks"
commands=$(least --also='m{1..4}' '--filter=cat > "$FILE"')
[ "$commands" -eq $((files + 5 * 1048576)) ] || fail "$files with files, and $commands with a filter"
expect_status 0 nsplit -q -j1 --mem-limit="$commands" '--filter=cat > "$FILE"' core 'm{0..4}'
closed m0 m1 m2 m3 m4
rm -f m0 m1 m2 m3 m4
expect_status 0 nsplit -n -j1 core m0 '|cat > m1' '|cat > m2'
grep -q '^memory: .* + 2\.0 MiB pipes + .* list of chunks' out || fail "$(cat out)"
