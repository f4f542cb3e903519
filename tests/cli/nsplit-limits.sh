#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --size-limit, --keep-free and --time-limit: the set is closed, never exceeds them by more than a record for each output,
# and one sentence says what it has.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 8M -p random core

# saved PATTERN: the sentence matches, and nothing else is said but what is missing
saved() {
	grep -v -e '^nsplit: missing: ' -e 'not captured first: the core does not describe' err > told || fail "nothing is said"
	grep -qx "nsplit: saved: $1" told && [ "$(wc -l < told)" -eq 1 ] || fail "expected '$1': $(cat err)"
}

# within BYTES FILE...: together they have no more than this, and less by two records and the indexes at most
within() {
	most=$1
	shift
	total=$(cat "$@" | wc -c)
	[ "$total" -le "$most" ] && [ "$total" -gt $((most - 2200000)) ] || fail "$total bytes instead of $most"
}

for engine in --serial -j1 -j4; do
	for size in 3000000 6M; do
		bytes=$(case $size in *M) echo $((${size%M} << 20)) ;; *) echo $size ;; esac)
		expect_status 3 nsplit -q $engine --size-limit=$size core a
		saved "[2-7][0-9] % of the source; the limit of [0-9.]* MiB is reached"
		within "$bytes" a
		rm a
		expect_status 3 nsplit -q $engine --size-limit=$size --stats=figures core a b c d
		saved "[2-7][0-9] % of the source; the limit of [0-9.]* MiB is reached"
		within "$bytes" a b c d
		closed a b c d
		grep -q '"limit": "size"' figures || fail "$(cat figures)"
		expect_status 3 nsplit -q $engine --size-limit=$size core '|cat > e' -
		within "$bytes" e out
		closed e out
		rm a b c d e figures
	done
done
