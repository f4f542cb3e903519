#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every combination is measured and reported as a table and JSON; the files are removed.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
mkfakevmcore -s 3M core

expect_status 0 nsplit-bench -q fake:3M null: --codecs=raw,lzo --threads=1,2,serial \
	--outputs=1,3 --blocksize=4k,64k --rounds=2 --json
cp out json
expect_status 0 nsplit-bench -q core a b --codecs=raw,lzo -j 2 -o 1-2 -n 2 --warmup=0 \
	--cache=keep --json=json2
python3 "$srcdir/bench/draw.py" --csv < json2 > csv || fail 'no CSV'
absent a b
# The table, with its verdict, fits on a terminal.
grep -q '^threads codec  *outputs block share ' out || fail "no table: $(cat out)"
grep -q '^      2 lzo  *2    4K ' out || fail "no line for lzo: $(cat out)"
[ "$(grep -c '^      2 lzo' out)" -eq 6 ] || fail "not three tables: $(cat out)"
grep -q '^unreliable (!): fewer than 3 rounds, or a spread above 20 %; ' out || fail "$(cat out)"
expect_err ''
if grep -v -e '^processor: ' -e '^system: ' out | grep '.\{81\}'; then
	fail 'wider than 80 columns'
fi

# Nor do ratios of 100 or more make it wider.
expect_status 0 nsplit-bench -q fake:8M,pattern=zero null: null: --codecs=raw -j1 -o1,2 -n1
grep -q '^      1 raw  *1 .* [0-9][0-9][0-9]\.[0-9]$' out || fail "no large ratio: $(cat out)"
if grep -v -e '^processor: ' -e '^system: ' out | grep '.\{81\}'; then
	fail 'a large ratio: wider than 80 columns'
fi

# best: the text ends with the fastest capture of the file json3
best() {
	python3 - << 'END' || fail "see above"
import json

report = json.load(open("json3"))
cell = max(report["cells"], key=lambda cell: cell["capture"]["median"])
is_wide = len(cell["capture"]["rounds"]) < 3 or cell["capture"]["spread"] > 0.2
threads = "%d thread%s" % (cell["threads"], "s" * (cell["threads"] > 1)) if cell["threads"] else "serial"
begin = "best: %s, %s, %d output%s, blocks of %dK: " % (cell["codec"], threads, cell["outputs"],
                                                       "s" * (cell["outputs"] > 1), cell["block_size"] / 1024)
end = " MB/s%s, ratio %.2f\n" % (" (!)" if is_wide else "", cell["ratio"])
text = open("out").read().splitlines(True)[-1]
assert text.startswith(begin) and text.endswith(end), (text, begin, end)
assert abs(float(text[len(begin):-len(end)]) / cell["capture"]["median"] * 1e6 - 1) < 0.01, text
reliable = not any(len(cell["capture"]["rounds"]) < 3 or max(cell["capture"]["spread"], cell["share"]["spread"]) > 0.2
                   for cell in report["cells"])
assert reliable == ("\nall figures are reliable\n" in open("out").read())
END
}
expect_status 0 nsplit-bench -q fake:8M null: --codecs=raw,lzo -j1,2,serial -o1,2 -b4K,16K -n1 --warmup=0 --json=json3
best
expect_status 0 nsplit-bench -q fake:8M,pattern=zero null: --codecs=lzo -jserial -n1 --warmup=0 --json=json3
best
expect_status 0 nsplit-bench -q fake:8M null: --codecs=raw,lzo -j1,2 -n3 --warmup=0 --json=json3
best

# Without --cache, nothing but the members is dropped, and nothing is said.
expect_status 0 nsplit-bench --progress=never core a --codecs=raw -j1 -n1 --warmup=0
expect_err ''
grep -qx 'page cache: members dropped before each measurement' out || fail "$(cat out)"
expect_status 0 nsplit-bench -q core null: --codecs=raw -j1 -n1 --warmup=0
grep -qx 'page cache: kept' out || fail "there are no members: $(cat out)"

# A report on standard output does not contain the verdict in words.
expect_status 0 nsplit-bench -q fake:1M b /dev/null -o1,2 --codecs=lzo -j1 --rounds=1 --warmup=0 --cache=keep --json
expect_err 'nsplit-bench: unreliable figures, with fewer than 3 rounds or a spread above 20 %; use more --rounds or a larger SOURCE'

python3 - << 'END' || fail "see above"
import csv, json, statistics

def rates(cell, names, rounds):
    for name in names:
        rate = cell[name]
        assert len(rate["rounds"]) == rounds, (name, rate)
        assert 0 < rate["least"] <= rate["median"] <= rate["most"], (name, rate)
        assert min(rate["rounds"]) == rate["least"] and max(rate["rounds"]) == rate["most"]
        assert abs(statistics.median(rate["rounds"]) - rate["median"]) <= 1

def share(cell, name, of, by):
    quotients = [a / b for a, b in zip(cell[of]["rounds"], cell[by]["rounds"])]
    assert abs(cell[name]["median"] / statistics.median(quotients) - 1) < 1e-4, (cell, quotients)
    assert abs(cell[name]["least"] / min(quotients) - 1) < 1e-4
    assert abs(cell[name]["best"] / (max(cell[of]["rounds"]) / max(cell[by]["rounds"])) - 1) < 1e-4

j = json.load(open("json"))
assert j["whole"] and j["rounds"] == 2 and j["warmup"] == 1 and j["page_cache"] == "not used"
assert j["source"] == "fake:3M" and j["source_size"] == 3 << 20 and j["outputs"] == ["null:"]
assert j["machine"]["cpus"] >= 1 and j["disk_rates"] == []
assert list(j)[:2] == ["schema", "version"], j
keys = [(c["outputs"], c["block_size"], c["codec"], c["threads"]) for c in j["cells"]]
assert keys == [(o, b, c, t) for o in (1, 3) for b in (4096, 65536) for c in ("raw", "lzo")
                for t in (1, 2, 0)], keys
for c in j["cells"]:
    rates(c, ["capture", "ceiling", "memcpy"], 2)
    share(c, "share", "capture", "ceiling")
    assert "verify" not in c

j = json.load(open("json2"))
assert j["page_cache"] == "kept"
for c in j["cells"]:
    rates(c, ["capture", "ceiling", "memcpy", "verify", "join", "unpack_ceiling"], 2)
    share(c, "share", "capture", "ceiling")
    share(c, "verify_share", "verify", "unpack_ceiling")
    share(c, "join_share", "join", "unpack_ceiling")
    # Superblock, the records of the chunks, index and footer.
    assert c["bytes"] % 4096 == 0 and 3 < (3 << 20) / c["bytes"] < 20 or c["codec"] == "raw"

rows = list(csv.DictReader(open("csv")))
assert len(rows) == len(j["cells"]) == 4
for row, c in zip(rows, j["cells"]):
    assert (int(row["threads"]), row["codec"]) == (c["threads"], c["codec"])
    assert abs(int(row["capture"]) - c["capture"]["median"]) <= 1
    assert abs(float(row["join_share"]) - c["join_share"]["median"]) < 1e-4
    assert abs(float(row["share_best"]) - c["share"]["best"]) < 1e-4
    assert abs(int(row["ceiling_most"]) - c["ceiling"]["most"]) <= 1
    assert int(row["bytes"]) == c["bytes"]
END

# An existing file is overwritten only with -f, and then kept.
echo precious > a
expect_status 2 nsplit-bench -q fake:1M a b
expect_err "nsplit-bench: a: already exists; use -f to overwrite"
[ "$(cat a)" = precious ] || fail "a was written to"
absent b
expect_status 0 nsplit-bench -q --overwrite-dumps fake:1M a b --codecs=lzo -j1 --rounds=1 --warmup=0 --cache=keep
absent b
[ -f a ] || fail "a was removed, although it existed before"
expect_status 2 nsplit-bench -q fake:1M b --join-to=a
expect_err "nsplit-bench: a: is a member; use --overwrite-dumps to overwrite it"

# Every combination that can be read is read.
expect_status 0 nsplit-bench -q fake:1M b /dev/null -o1,2 --codecs=lzo -j1 --rounds=1 --warmup=0 --cache=keep
[ "$(grep -c '^      1 lzo  *1 ' out) $(grep -c '^      1 lzo  *2 ' out)" = '3 1' ] ||
	fail "$(cat out)"

# --join-to keeps the joined source, which is identical.
expect_status 0 nsplit-bench -q core b c --codecs=lzo -j2 --rounds=1 --join-to=copy --cache=keep
same core copy
absent b c
