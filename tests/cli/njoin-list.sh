#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --list describes what a core contains, and what is missing from it.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

make_core log
nsplit -q --raw --stripe --chunksize=64K ring a b

# Ignores differences in spacing.
squeeze() {
	sed 's/  */ /g; s/^ //' "$1"
}

# The VMCOREINFO note: from its first key to the end of its last line.
info=$(grep -abo "OSRELEASE=6.1.0-made" ring | head -n 1 | cut -d : -f 1)
end=$(grep -abo "OFFSET(latched_seq.val)=8" ring | head -n 1 | cut -d : -f 1)
info=$((end + 26 - info))
cat > want << END
core: x86_64, 270336 bytes (264.0 KiB), 1 segment
kernel: 6.1.0-made (unknown)
crashed: 2001-09-09T01:46:40Z
CPUs: 1
page size: 4096 bytes
notes: CORE, type 1: 1, 336 bytes in total
notes: VMCOREINFO, type 0: 1, $info bytes in total
segment physical to virtual offset bytes in file bytes in memory
0 0x100000 0x13ffff 0xffffffff80100000 8192 262144 262144
memory: 64 pages, 64 of them in the core
missing: 0 pages
pages: kinds unknown: the core does not describe its pages: VMCOREINFO has no valid SIZE(page)
records: not checked; njoin --verify checks them
complete: yes
END
expect_status 0 njoin --list b a
expect_err ""
squeeze out > told
same told want

# Half of the set: bytes 0 to 65535, 131072 to 196607 and the last 8192 exist.
expect_status 3 njoin --list a
expect_err ""
squeeze out | sed -n '/^memory/,$p' > told
cat > want << END
memory: 64 pages, 32 of them in the core
missing: 32 pages
pages: kinds unknown: the core does not describe its pages: VMCOREINFO has no valid SIZE(page)
missing: bytes 65536 to 131071
missing: physical 0x10e000 to 0x11dfff, segment 0
missing: bytes 196608 to 262143
missing: physical 0x12e000 to 0x13dfff, segment 0
records: not checked; njoin --verify checks them
complete: no
END
same told want
expect_status 1 njoin --list b
expect_err "njoin: byte 0 is not in any member
njoin: member 0 of 2 (numbered 0 to 1) is missing"
expect_out ""

# A core that was cut short before the capture: the set cannot contain more than its source did.
head -c 135168 ring > cut-short
nsplit -q cut-short e
expect_status 3 njoin --list e
expect_err ""
squeeze out | sed -n '/^memory/,$p' > told
cat > want << END
memory: 64 pages, 31 of them in the core
missing: 33 pages
pages: kinds unknown: the core does not describe its pages: VMCOREINFO has no valid SIZE(page)
missing: bytes 135168 to 270335, beyond the end of the source
missing: physical 0x11f000 to 0x13ffff, segment 0
records: not checked; njoin --verify checks them
complete: no
END
same told want

# Without VMCOREINFO, only the kernel is unknown.
nsplit -q bare c
expect_status 0 njoin --list c
squeeze out | sed -n 1,4p > told
cat > want << END
core: x86_64, 270336 bytes (264.0 KiB), 1 segment
kernel: unknown, since the core has no VMCOREINFO
CPUs: 1
page size: 4096 bytes, assumed, since the core does not contain it
END
same told want

nsplit -q want d
expect_status 2 njoin --list d
expect_err "njoin: unsupported source: not an ELF file"
expect_out ""
expect_status 2 njoin --list - < d
expect_err "njoin: unsupported source: not an ELF file"

need python3
expect_status 3 njoin --list --json e
python3 - out << 'END' || fail "the JSON object of a core that was cut: $(cat out)"
import json, sys

with open(sys.argv[1], encoding="utf-8") as f:
    told = json.load(f)
want = [{"offset": 135168, "length": 135168,
         "memory": [{"physical": "0x11f000", "length": 135168, "segment": 0}]}]
if told["missing"] != want or told["complete"] or told["stopped"]:
    sys.exit("%r" % told)
END
expect_status 3 njoin --list --json a
expect_err ""
python3 - out "$info" << 'END' || fail "the JSON object: $(cat out)"
import json, sys

with open(sys.argv[1], encoding="utf-8") as f:
    told = json.load(f)
want = {
    "schema": 1,
    "machine": "x86_64",
    "machine_told": True,
    "source_size": 270336,
    "vmcoreinfo": True,
    "release": "6.1.0-made",
    "version": "(unknown)",
    "host": "",
    "crashed": "2001-09-09T01:46:40Z",
    "cpus": 1,
    "page_size": 4096,
    "page_size_told": True,
    "notes": [
        {"name": "CORE", "type": 1, "count": 1, "bytes": 336},
        {"name": "VMCOREINFO", "type": 0, "count": 1, "bytes": int(sys.argv[2])},
    ],
    "erased": [],
    "segments": [{
        "physical": "0x100000",
        "virtual": "0xffffffff80100000",
        "offset": 8192,
        "bytes_in_file": 262144,
        "bytes_in_memory": 262144,
    }],
    "pages": {"memory": 64, "present": 32, "lost": 32},
    "page_kinds": {"known": False, "why": "the core does not describe its pages: VMCOREINFO has no valid SIZE(page)"},
    "not_recognised": [],
    "missing": [
        {"offset": 65536, "length": 65536,
         "memory": [{"physical": "0x10e000", "length": 65536, "segment": 0}]},
        {"offset": 196608, "length": 65536,
         "memory": [{"physical": "0x12e000", "length": 65536, "segment": 0}]},
    ],
    "stopped": False,
    "records_checked": False,
    "complete": False,
}
if told != want:
    sys.exit("%r is not %r" % (told, want))
END

# Kinds of pages in the words of -d, as in what nsplit -d prints; the keys of --json are those of before.
make_core kinds
expect_status 0 njoin --list kinds
sed -n 's/^pages: \([^0-9]*[^0-9 ]\) .*/\1/p' out > told
expect_status 0 njoin --list --json kinds
python3 - << 'EOF' > want
import json
labels = {'cache_private': 'private', 'cache_dirty': 'cache (dirty)', 'cache_clean': 'cache (clean)',
          'anonymous': 'user (anonymous)', 'hugetlb': 'user (hugetlb)', 'cpu_free': 'kernel (cpu-free)',
          'unaccepted': 'free (unaccepted)'}
kinds = json.load(open('out'))['page_kinds']
for kind in labels:
    assert kind in kinds, kind
for kind, count in kinds.items():
    if kind != 'known' and count:
        print(labels.get(kind, kind))
EOF
grep -q '^user (anonymous)$' want || fail "no such page: $(cat out)"
same told want
