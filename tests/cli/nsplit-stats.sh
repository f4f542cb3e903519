#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --stats writes one JSON object whose figures agree with the capture.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3

{ head -c 40960 /dev/zero; head -c 10000 "$srcdir/COPYING"; } > core
expect_status 0 nsplit -q -c -j2 -b 4K --chunksize=8K --stats=stats core a b
expect_err ""
expect_out ""
cat > look.py << 'END'
import json, os, sys

stats = json.load(open("stats"))
size = os.path.getsize("core")
sinks = stats["sinks"]


def must(what, got, want):
    if got != want:
        sys.exit("%s: %r and not %r" % (what, got, want))


must("keys", list(stats), [
    "schema", "version", "outcome", "uuid", "source", "source_size", "codec", "threads",
    "block_size", "chunk_size", "source_bytes", "bytes", "ratio",
    "unreadable_bytes", "changed_bytes", "missing_bytes", "blocks", "rungs", "seconds", "peak_memory", "sinks"])
must("outcome", stats["outcome"], "perfect")
must("source", (stats["source"], stats["source_size"], stats["source_bytes"]),
     ("core", size, size))
must("codec", (stats["codec"], stats["threads"]), ("lzo", 2))
must("sizes", (stats["block_size"], stats["chunk_size"]), (4096, 8192))
must("names", [s["name"] for s in sinks], ["a", "b"])
must("states", [s["state"] for s in sinks], ["whole", "whole"])
must("kinds", [s["kind"] for s in sinks], ["file", "file"])
must("bytes", [s["bytes"] for s in sinks], [os.path.getsize(n) for n in "ab"])
must("sum", sum(s["bytes"] for s in sinks), stats["bytes"])
must("source bytes", sum(s["source_bytes"] for s in sinks), size)
must("ratio", round(stats["ratio"], 6), round(size / stats["bytes"], 6))
must("records", sum(s["records"] for s in sinks), -(-size // 8192))
must("blocks", sum(stats["blocks"].values()), -(-size // 4096))
must("zero blocks", stats["blocks"]["zero"], 10)
must("unreadable", stats["blocks"]["unreadable"], 0)
must("losses", (stats["unreadable_bytes"], stats["changed_bytes"], stats["missing_bytes"]), (0, 0, 0))
must("rungs", stats["rungs"], [{"codec": "lzo", "source_bytes": size}])
if not 0 < stats["seconds"] < 600 or stats["peak_memory"] < 1 << 20:
    sys.exit("seconds or memory: %r" % stats)
END
python3 look.py || fail "stats: $(cat stats)"

# With auto, the presets that were chosen.
expect_status 0 nsplit -C auto --stats=stats core auto
grep -qE "^nsplit:   chosen: [a-z0-9:]+ [0-9]+ %" err || fail "chosen: $(cat err)"
python3 -c '
import json
stats = json.load(open("stats"))
rungs = stats["rungs"]
assert rungs[0]["codec"] == "raw" and len(rungs) > 1
assert sum(rung["source_bytes"] for rung in rungs) == stats["source_bytes"]
' || fail "stats: $(cat stats)"

# A name may contain any byte.
name=$(printf 'a"\\\nz\377')
cp core "$name"
expect_status 0 nsplit -q --stats=stats --serial "$name" null:
python3 -c '
import json
stats = json.load(open("stats"))
assert stats["source"] == "a\"\\\nz\ufffd", stats["source"]
assert stats["threads"] == 0 and stats["codec"] == "raw"
assert stats["sinks"][0]["kind"] == "null"
' || fail "stats: $(cat stats)"

# An output that failed is listed with the reason.
expect_status 0 nsplit -q --stats=stats core nowhere/a c
python3 -c '
import json
stats = json.load(open("stats"))
assert stats["outcome"] == "perfect"
lost, whole = stats["sinks"]
assert lost["state"] == "failed" and lost["records"] == 0
assert lost["reason"] == "nowhere/a: the directory nowhere does not exist"
assert whole["state"] == "whole" and "reason" not in whole
' || fail "stats: $(cat stats)"

# If the file cannot be written, the members are valid nevertheless, and the exit status is not
# affected.
for engine in --serial -j2; do
	expect_status 0 nsplit -q "$engine" --stats=nowhere/stats core d
	expect_err "nsplit: nowhere/stats: the directory nowhere does not exist; the capture is not affected"
	expect_status 0 njoin -q -o copy d
	same copy core
	rm copy d
	mkdir -p directory
	expect_status 0 nsplit -q "$engine" --stats=directory core d
	expect_err "nsplit: directory: Is a directory; the capture is not affected"
	rm d
	expect_status 1 nsplit -q "$engine" --stats=nowhere/stats core nowhere/d
	expect_err "nsplit: nowhere/d: the directory nowhere does not exist; given up, no output is left
nsplit: nothing was captured: every output failed
nsplit: nowhere/stats: the directory nowhere does not exist; the capture is not affected"
done
if [ -c /dev/full ]; then
	expect_status 0 nsplit -q --stats=/dev/full core d
	expect_err "nsplit: /dev/full: No space left on device; the capture is not affected"
	closed d
fi
