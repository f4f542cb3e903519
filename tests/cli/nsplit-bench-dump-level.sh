#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit-bench --dump-level and --exclude: what is measured are the captures that nsplit would make.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

make_core kinds

not_a_level="is not a dump level, which is a number from 0 to 31: the sum of 1 (zero), 2 (cache), 4 (private), \
8 (user) and 16 (free)"
expect_usage nsplit-bench "-d: '32' $not_a_level" -d 32 kinds new
expect_usage nsplit-bench \
	"--exclude: unknown class of pages 'frei'; the classes are zero, cache, private, user and free" \
	--exclude=frei kinds new

# Nothing is measured if nothing can be left out.
cp "$(command -v nsplit-bench)" program
expect_status 1 nsplit-bench -d 31 program new
grep -q '^nsplit-bench: program: nothing can be left out: ' err || fail "$(cat err)"
expect_out ''
absent new
# Without classes, what is in the source twice would be captured once, which is not worth an error.
expect_status 0 nsplit-bench -q -d 0 program null: --codecs=raw -j1 -n1 --warmup=0
grep -qx 'left out: 0 B' out || fail "$(cat out)"

# bench OPTION...: one short round, with JSON in the file json and the table in the file out
bench() {
	expect_status 0 nsplit-bench -q kinds -n1 --warmup=0 --random-reads=50 --json=json "$@"
}

bench -d 31 a b --codecs=raw,lzo -j1,2,serial --join-to=copy -o1,2 --csv=csv
expect_err ''
absent a b
if grep -v -e '^processor: ' -e '^system: ' -e '^left out: ' out | grep '.\{81\}'; then
	fail 'wider than 80 columns'
fi
grep -qx 'left out: .* MiB (private .* KiB, cache .* KiB, user .* MiB, free .*)' out || fail "$(cat out)"
grep -qx 'speeds and ratios count only the pages that the members store' out || fail "$(cat out)"

# The same captures by nsplit, and what njoin makes of them: whatever is joined is the same.
nsplit -q -d 31 -C lzo -j1 --stats=stats kinds c
njoin -q --zero-left-out -o whole c
same copy whole
nsplit -q -d 31 -C raw -j1 --stats=stats-raw kinds d
python3 - << 'END' || fail "see above"
import csv, json, os

report = json.load(open("json"))
stats = {"lzo": json.load(open("stats")), "raw": json.load(open("stats-raw"))}
size = os.path.getsize("kinds")
left_out = {c["name"]: c["bytes"] for c in report["left_out"]}
assert left_out == {c["name"]: c["left_out"] for c in stats["lzo"]["classes"] if c["left_out"]}, left_out
assert report["dump_level"] == stats["lzo"]["dump_level"] and "kept_after_all" not in report
assert len(report["cells"]) == 12
for cell in report["cells"]:
    nsplit = stats[cell["codec"]]
    assert cell["block_size"] == nsplit["block_size"], cell
    # The kernel image is in the source twice.
    assert cell["stored_bytes"] == size - sum(left_out.values()) - nsplit["second_place_bytes"], cell
    assert abs(cell["ratio"] - cell["stored_bytes"] / cell["bytes"]) < 1e-4, cell
    # Members differ by a few pages of headers.
    assert abs(cell["bytes"] - nsplit["bytes"]) < 40 * 4096, (cell["bytes"], nsplit["bytes"])
    for name in "share", "capture", "verify", "join":
        assert cell[name]["median"] > 0, cell
    assert cell["random_read"]["reads"] == 50, cell
rows = list(csv.DictReader(open("csv")))
assert [int(row["source_bytes"]) for row in rows] == [cell["stored_bytes"] for cell in report["cells"]]
END

# says TEST: of the file json
says() {
	python3 -c 'import json, sys
report = json.load(open("json"))
sys.exit(not eval(sys.argv[1]))' "$1" || fail "not $1: $(cat json)"
}
whole=$(wc -c < kinds)
bench --exclude=free null: --codecs=lzo -j1
says '{c["name"] for c in report["left_out"]} == {"free", "offline", "poisoned"}'
bench -d 31 -b4K,64K null: --codecs=lzo -j1
says '[c["block_size"] for c in report["cells"]] == [4096, 65536]'
# Blocks of 16 KiB do not fit into these chunks.
bench -d 31 --chunksize=24K null: --codecs=lzo -j1
says '[c["block_size"] for c in report["cells"]] == [8192]'
bench -d 0 null: --codecs=lzo -j1
says "report['left_out'] == [] and $whole > report['cells'][0]['stored_bytes'] > $whole / 2"
bench -d 31 --exclude=none null: --codecs=lzo -j1
says "'left_out' not in report and report['cells'][0]['stored_bytes'] == $whole"
! grep '^left out' out || fail '--exclude=none cancels -d 31'

# Pages that are captured after all are not those that were asked for.
expect_status 0 nsplit-bench -q -d 8 doubted null: --codecs=lzo -j2 -n1 --json=json
grep -q '^nsplit-bench: warning: pages that were to be left out were captured after all: user: ' err || fail "$(cat err)"
says 'report["kept_after_all"].startswith("user: ")'

expect_status 0 nsplit-bench -q -d 31 kinds null: --codecs=lzo -j1 -n1 --html=page.html
grep -q '<dt>Pages left out</dt><dd>[0-9.]* MiB (private ' page.html || fail "$(grep '<dt>' page.html)"
