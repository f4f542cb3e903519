#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A fallback takes over when no other output is usable, and leaves no file if it is not needed.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
mkfakevmcore -s 400000 -p random core

for engine in --serial -j2; do
	# The fallback is not needed.
	expect_status 0 nsplit -q "$engine" --fallback=b --stats=stats core a
	expect_err ""
	absent b
	expect_status 0 njoin -q --info a
	grep -qx 'member 1: not given; it is a fallback and may not have been needed' out || fail "$(cat out)"
	grep -qx 'complete: yes' out || fail "$(cat out)"
	expect_status 0 njoin -q --info --json a
	grep -q '"fallbacks": 1' out || fail "$(cat out)"
	joined a
	python3 -c '
import json
used, unused = json.load(open("stats"))["sinks"]
assert (used["state"], unused["state"]) == ("whole", "unused")
assert "reason" not in unused and unused["bytes"] == 0
' || fail "statistics: $(cat stats)"

	# The only output is missing; one of two; both.
	expect_status 0 nsplit -q "$engine" --fallback=b core nowhere/a
	expect_err "nsplit: nowhere/a: the directory nowhere does not exist; given up, continuing on the fallback b"
	joined b
	expect_status 0 nsplit -q "$engine" --fallback=b core nowhere/a c
	expect_err "nsplit: nowhere/a: the directory nowhere does not exist; given up, continuing on 1 output"
	absent b
	joined c
	expect_status 0 nsplit -q "$engine" --fallback=b core nowhere/a nowhere/c
	expect_err "nsplit: nowhere/a: the directory nowhere does not exist; given up, continuing on 1 output
nsplit: nowhere/c: the directory nowhere does not exist; given up, continuing on the fallback b"
	joined b

	# Fallbacks fail too, one after the other; the options may be anywhere, and are numbered.
	expect_status 0 nsplit -q "$engine" --fallback='nowhere/{1..2}' core nowhere/a --fallback=b --fallback=c
	# Each message comes from another thread.
	sort -o err err
	expect_err "nsplit: nowhere/1: the directory nowhere does not exist; given up, continuing on the fallback nowhere/2
nsplit: nowhere/2: the directory nowhere does not exist; given up, continuing on the fallback b
nsplit: nowhere/a: the directory nowhere does not exist; given up, continuing on the fallback nowhere/1"
	absent c
	joined b
	expect_status 1 nsplit -q "$engine" --fallback=nowhere/b core nowhere/a
	expect_err "nsplit: nowhere/a: the directory nowhere does not exist; given up, continuing on the fallback nowhere/b
nsplit: nowhere/b: the directory nowhere does not exist; given up, no output is left
nsplit: nothing was captured: every output failed"

	# The fallback is a command; it replaces one.
	expect_status 0 nsplit -q "$engine" --fallback='|cat > b' core '|exit 1'
	expect_err "nsplit: |exit 1: exited with status 1 before reading all of its input; given up, continuing on the fallback |cat > b"
	joined b
	expect_status 0 nsplit -q "$engine" --fallback=b core '|cat > c; exit 1'
	expect_err "nsplit: |cat > c; exit 1: exited with status 1; given up, continuing on the fallback b"
	rm c
	joined b
	expect_status 0 nsplit -q "$engine" '--filter=cat > "$FILE"; [ "$FILE" != a ]' --fallback=b core a
	expect_err "nsplit: a: exited with status 1; given up, continuing on the fallback b"
	rm a
	joined b

	# While a command can still take over from another one, no fallback is used.
	for fallback in nowhere/c '|exit 255'; do
		expect_status 0 nsplit -q "$engine" --fallback="$fallback" core '|cat > a' '|cat > b; exit 1'
		expect_err "nsplit: |cat > b; exit 1: exited with status 1; given up, continuing on 1 output"
		joined a
	done
	rm b

	# The fallback is a pipe with a reader.
	mkfifo pipe
	cat pipe > b &
	reader=$!
	expect_status 0 nsplit -q "$engine" --fallback=pipe core nowhere/a
	expect_err "nsplit: nowhere/a: the directory nowhere does not exist; given up, continuing on the fallback pipe"
	wait $reader
	rm pipe
	joined b
done

# The fallback is a pipe without a reader: nsplit waits for one until --sink-timeout.
mkfifo pipe
expect_status 0 timeout -s KILL 60 nsplit -q -j2 --sink-timeout=1 --fallback=pipe --fallback=b core nowhere/a
expect_err "nsplit: nowhere/a: the directory nowhere does not exist; given up, continuing on the fallback pipe
nsplit: pipe: no answer for 1 s; given up, continuing on the fallback b"
rm pipe
joined b

# A full output keeps what it holds.
if [ -c /dev/full ]; then
	expect_status 0 nsplit -q --fallback=b core /dev/full
	expect_err "nsplit: /dev/full: No space left on device; given up, continuing on the fallback b"
	joined b
fi
# A limit on the size of files simulates a small disk; a pipe has no such limit.
(ulimit -f 8 && trap '' XFSZ && head -c 100000 core > probe 2> probe.err) || :
unit=$(($(wc -c < probe) / 8))
rm -f probe
status=0
(
	ulimit -f $(((4096 + 3 * 16384 + 8192) / unit))
	trap '' XFSZ
	exec nsplit -q --serial --chunksize=12K --fallback=- core a 2> err
) | cat > b || status=$?
[ $status -eq 0 ] || fail "status $status: $(cat err)"
expect_err "nsplit: a: File too large; 52.0 KiB kept, continuing on the fallback standard output"
joined a b

# The summary and the plan.
expect_status 0 nsplit --fallback=b core a
grep -qx 'nsplit:   b: fallback, not needed' err || fail "$(cat err)"
rm a
expect_status 0 nsplit -n --fallback=b --fallback='|cat' core a
sed -n 's/^output //p' out > lines
cat > want << END
0: a, file
1: b, file, fallback
2: |cat, command, fallback
END
same lines want
absent a b
expect_status 1 nsplit -n --fallback=nowhere/b core a
expect_err "nsplit: nowhere/b: the directory nowhere does not exist; it would be given up"

# As a key of the configuration; the command line wins.
printf 'output = nowhere/a\nfallback = nowhere/b{1..2}\nfallback = |cat > "b # 3"\n' > conf
expect_status 0 nsplit -q --config=conf core
sort -o err err
expect_err 'nsplit: nowhere/a: the directory nowhere does not exist; given up, continuing on the fallback nowhere/b1
nsplit: nowhere/b1: the directory nowhere does not exist; given up, continuing on the fallback nowhere/b2
nsplit: nowhere/b2: the directory nowhere does not exist; given up, continuing on the fallback |cat > "b # 3"'
joined 'b # 3'
expect_status 0 nsplit -q --config=conf --fallback=c core
expect_err "nsplit: nowhere/a: the directory nowhere does not exist; given up, continuing on the fallback c"
joined c

# A fallback that could not be an output is skipped.
echo precious > old
cp core source
for engine in --serial -j2; do
	expect_status 0 nsplit -q "$engine" --fallback=old core a
	expect_err "nsplit: old: already exists; use -f to overwrite; continuing without it"
	joined a
	expect_status 0 nsplit -q "$engine" --fallback=a core a
	expect_err "nsplit: a: was given twice; continuing without it"
	joined a
	expect_status 0 nsplit -q "$engine" --fallback=core --overwrite-dumps core a
	expect_err "nsplit: core: is the source; continuing without it"
	same core source
	joined a
done
[ "$(cat old)" = precious ] || fail "what existed was changed"
expect_usage nsplit "no OUTPUT given" -q --fallback=a core
expect_usage nsplit "outputs: too many names; at most 254" -q --fallback='b{1..200}' core 'a{1..55}'
absent a a1 b1
