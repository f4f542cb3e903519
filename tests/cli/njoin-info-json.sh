#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --info --json prints valid JSON, whatever the names are.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
# shellcheck disable=SC1003 # a backslash is what is meant
source='a "core\'
mkfakevmcore -s 300000 -p zero "$source"
uuid=123e4567-e89b-42d3-a456-426614174000
SOURCE_DATE_EPOCH=1000000000
export SOURCE_DATE_EPOCH
nsplit -q --raw --chunksize=64K --stripe --uuid=$uuid "$source" a b c

expect_status 0 njoin --info --json a b c
expect_err ""
python3 - out "$uuid" << 'END' || fail "the JSON object: $(cat out)"
import json, os, sys

with open(sys.argv[1], encoding="utf-8") as f:
    info = json.load(f)
names = "abc"
sizes = {name: os.stat(name).st_size for name in names}
want = {
    "schema": 1,
    "uuid": sys.argv[2],
    "created": "2001-09-09T01:46:40Z",
    "source": 'a "core\\',
    "source_size": 300000,
    "codec": "raw",
    "block_size": 4096,
    "chunk_size": 65536,
    "members_expected": 3,
    "fallbacks": 0,
    "members": [
        {"name": name, "number": number, "bytes": sizes[name],
         "records": [2, 2, 1][number], "footer": True}
        for number, name in enumerate(names)
    ],
    "bytes": sum(sizes.values()),
    "records": 5,
    "blocks": {"zero": 72, "same": 0, "stored": 2, "packed": 0, "unreadable": 0},
    "missing": [],
    "unreadable_blocks": 0,
    "stopped": False,
    "records_checked": False,
    "complete": True,
}
creator = info.pop("creator")
ratio = info.pop("ratio")
if abs(ratio - 300000 / sum(sizes.values())) > 0.001:
    sys.exit("the ratio is %r" % ratio)
if not creator.startswith("nsplit ") or info != want:
    sys.exit("%r is not %r" % (info, want))
END

expect_status 3 njoin --info --json a c
python3 - out << 'END' || fail "of two members: $(cat out)"
import json, sys

with open(sys.argv[1], encoding="utf-8") as f:
    info = json.load(f)
holes = [{"offset": 65536, "length": 65536}, {"offset": 262144, "length": 37856}]
if info["complete"] or info["missing"] != holes or len(info["members"]) != 2:
    sys.exit(repr(info))
END

# Without a footer, nobody has counted the blocks.
size=$(wc -c < a)
head -c $((size - 8192)) a > short
expect_status 3 njoin --info short
grep -q '^blocks: not counted' out || fail "it has a footer: $(cat out)"
expect_status 3 njoin --info --json short
python3 - out << 'END' || fail "of a member without footer: $(cat out)"
import json, sys

with open(sys.argv[1], encoding="utf-8") as f:
    info = json.load(f)
if "blocks" in info or not info["ratio"] > 0:
    sys.exit(repr(info))
END
