#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A dump for which memory has no room for a bit for each page: it is the same, to a file and through a pipe.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

make_core kinds
# The list of all pages must be larger than what another thread of the filter takes.
python3 -B "$srcdir/tests/cli/more-memory.py" kinds core 8

# plan LIMIT: what nsplit says that it would do with so much memory
plan() {
	nsplit -n --serial --format=kdump -d 31 --compress=zlib --mem-limit="$1" core new > plan.out 2> plan.err || :
}

by_parts="nsplit: there is no memory for a list of all pages of the dump; parts of it are made again when they are needed, which takes longer"

# The smallest limit with which pages are left out.
low=4000000 high=64000000
plan $high
[ ! -s plan.err ] || fail "with enough memory: $(cat plan.err)"
while [ $((high - low)) -gt 16384 ]; do
	middle=$(((low + high) / 2))
	plan $middle
	if grep -q 'nothing is left out\|is too small' plan.err; then
		low=$middle
	else
		high=$middle
	fi
done
plan $high
[ "$(cat plan.err)" = "$by_parts" ] || fail "with $high bytes: $(cat plan.err)"

expect_status 0 nsplit -q --serial --format=kdump -d 31 --compress=zlib core want
expect_status 0 nsplit -q --serial --format=kdump -d 31 --compress=zlib --mem-limit=$high core new
expect_err "$by_parts"
cmp want new || fail "it is another dump"
rm new
nsplit -q --serial --format=kdump -d 31 --compress=zlib core - > want || fail "to a pipe: $?"
nsplit -q --serial --format=kdump -d 31 --compress=zlib --mem-limit=$((high + (4 << 20))) core - > new 2> err ||
	fail "by parts to a pipe: $(cat err)"
cmp want new || fail "it is another flattened dump"
