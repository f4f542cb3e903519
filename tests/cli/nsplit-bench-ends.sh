#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A benchmark that is stopped or fails reports what it has measured and removes its files.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3

# slow: emulated disks that need a second and a half for a capture
slow() {
	nsplit-bench --progress=always fake:3M,pattern=random a /dev/null --codecs=raw -j1,2 --warmup=0 \
		--disk-rate=1M --write-only --rounds=100 "$@" > out 2> err &
	pid=$!
	wait_for grep -q '^nsplit-bench: [1-9][0-9]* of 200, ' err
}

# ended STATUS
ended() {
	expect_end "$1" $pid
	absent a
}

slow --json=json
kill -s TERM $pid
ended 143
grep -qx 'nsplit-bench: Terminated: reporting what was measured so far' err || fail "$(cat err)"
grep -q '; ended early, so the results are incomplete$' out || fail "$(cat out)"
grep -q '^      1 raw ' out || fail "no row for the first capture: $(cat out)"
if grep '^      [12] raw  *-' out; then
	fail 'a row without figures'
fi
python3 - << 'END' || fail "see above"
import json

j = json.load(open("json"))
assert not j["whole"]
cell = j["cells"][0]
rounds = cell["capture"]["rounds"]
assert 1 <= len(rounds) < 100 and len(cell["ceiling"]["rounds"]) == len(rounds), rounds
# Two disks with 1 MiB/s each: not faster, except that sleeping may take too long.
assert all(rate <= (2 << 20) * 1.2 for rate in rounds), rounds
# Random data does not shrink; an incomplete capture would seem to.
assert 0.9 < cell["ratio"] <= 1, cell
for cell in j["cells"]:
    assert ("ratio" in cell) == ("capture" in cell), cell
END

# Without any figure there is no report, and an older one is kept.
echo '{ "version": "older", "date": "older", "source": "older" }' > older.json
cp older.json kept.json
slow_to_begin() {
	nsplit-bench -q fake:3M,pattern=random a --codecs=raw -j1 --write-only --disk-rate=2M "$@" \
		> out 2> err &
	pid=$!
	wait_for [ -e a ]
	kill -s TERM $pid
	ended 143
	expect_err 'nsplit-bench: Terminated: nothing was measured yet, so there is no report'
	expect_out ''
}
slow_to_begin --json=older.json
same kept.json older.json
slow_to_begin --json

# Two requests at once, in the middle of the only capture, in which a chunk takes minutes; nothing
# is left.
nsplit-bench -q fake:3M,pattern=random a --codecs=raw -j1 --warmup=0 --rounds=1 --write-only \
	--disk-rate=10K > out 2> err &
pid=$!
wait_for [ -e a ]
ends_when_asked_again $pid
grep -q 'nothing was measured' err && fail 'it was not asked twice'
ended 143

# If an output fails, the figures are not those of what was asked for.
expect_status 1 nsplit-bench -q fake:1M /dev/full b --codecs=raw -j1
grep -qx 'nsplit-bench: /dev/full: No space left on device; the benchmark needs all outputs' err ||
	fail "$(cat err)"
expect_out ''
absent b
expect_status 1 nsplit-bench -q fake:1M nowhere/a --codecs=raw -j1
expect_err "nsplit-bench: nowhere/a: the directory nowhere does not exist"

# If the report cannot be written, that is an error, and the table is printed nevertheless.
expect_status 1 nsplit-bench -q fake:1M null: --codecs=raw -j1 --rounds=1 --json=/dev/full
grep -q '^nsplit-bench: /dev/full: No space left on device$' err || fail "$(cat err)"
grep -q '^      1 raw ' out || fail "$(cat out)"

# So is one of standard output, with the reason, once.
status=0
nsplit-bench -q -n1 -C raw -j1 fake:1M null: > /dev/full 2> err || status=$?
[ $status -eq 1 ] || fail "status $status"
expect_err 'nsplit-bench: standard output: No space left on device'
status=0
nsplit-bench -q -n1 -C raw -j1 fake:1M null: >&- 2> err || status=$?
[ $status -eq 1 ] || fail "status $status"
expect_err 'nsplit-bench: standard output: Bad file descriptor'

# If this can be known, nothing is measured.
mkdir directory
touch file
for report in json join-to; do
	for missing in nowhere/a file/a; do
		expect_status 1 nsplit-bench fake:1M new --$report=$missing
		case $missing in
		nowhere/*) expect_err "nsplit-bench: --$report=$missing: the directory nowhere does not exist" ;;
		*) expect_err "nsplit-bench: --$report=$missing: Not a directory" ;;
		esac
		expect_out ''
		absent new
	done
done
expect_status 1 nsplit-bench fake:1M new --json=directory
expect_err 'nsplit-bench: --json=directory: Is a directory'
