#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --digest gives each member a root over the checksums of its records.  njoin --verify compares it with them, and
# njoin --info prints it; doc/format.md, section 9.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
need sha256sum
mkfakevmcore -s 500000 -p random core
nsplit --dry-run --digest core new > out 2> err || skip "this build has no SHA-256"

# root MEMBER: computes it from the records, which are found by a search; checks no checksums
root() {
	python3 - "$1" << 'END'
import hashlib, struct, sys

raw = open(sys.argv[1], 'rb').read()
root, at = hashlib.sha256(), 4096
while at < len(raw):
    length = 4096
    if raw[at:at + 8] == b'nsplitRC':
        root.update(raw[at + 120:at + 128])
        payload = struct.unpack_from('<II', raw, at + 44)
        length = -(-sum(payload) // 4096) * 4096
    elif raw[at:at + 8] == b'nsplitIX':
        length, = struct.unpack_from('<I', raw, at + 36)
    at += length
print(root.hexdigest())
END
}

# verified OPTION...: the members a and b have the roots of their records, which all programs print
verified() {
	nsplit --overwrite-dumps --digest --stats=stats "$@" core a b 2> err || fail "$*: $(cat err)"
	for member in a b; do
		root $member > $member.root
		grep -qx "nsplit:     root $(cat $member.root)" err || fail "$*: $(cat err)"
	done
	python3 -c '
import json
assert [s["root"] for s in json.load(open("stats"))["sinks"]] == [open(n + ".root").read().strip() for n in "ab"]
' || fail "$*: $(cat stats)"
	expect_status 0 njoin --verify b a
	sed '/verified in/d; /left out/d' err | sort > told
	printf 'njoin: %s: root verified: %s\n' a "$(cat a.root)" b "$(cat b.root)" > want
	same told want
	expect_status 0 njoin -q --verify a b
	expect_err ""
	expect_status 0 njoin --info a b
	for member in a b; do
		grep -A1 "^member .: $member," out | tail -n 1 | grep -qx "  root: $(cat $member.root)" ||
			fail "--info: $(cat out)"
	done
	expect_status 0 njoin --info --json a b
	python3 -c '
import json
assert [m["root"] for m in json.load(open("out"))["members"]] == [open(n + ".root").read().strip() for n in "ab"]
' || fail "--json: $(cat out)"
}

for engine in -j1 -j4 --serial; do
	verified $engine --chunksize=16K
done
verified --stripe --raw --chunksize=64K

# In a pipe, and through one.
expect_status 0 nsplit -q --chunksize=16K --digest core '|cat > c'
expect_status 0 njoin --verify - < c
grep -qx "njoin: standard input: root verified: $(root c)" err || fail "a pipe: $(cat err)"
# An index that spans several segments.
expect_status 0 nsplit -q --overwrite-dumps -b 4K --chunksize=4K --digest core c
expect_status 0 njoin --verify c
grep -qx "njoin: c: root verified: $(root c)" err || fail "small chunks: $(cat err)"
# A member without records.
: > empty
expect_status 0 nsplit -q --overwrite-dumps --digest empty c
expect_status 0 njoin --verify c
grep -qx "njoin: c: root verified: $(root c)" err || fail "without records: $(cat err)"

# Not unless it is asked for.
expect_status 0 nsplit -q --overwrite-dumps core c
expect_status 0 njoin --verify c
expect_status 0 njoin --info c
if grep -q root out; then
	fail "a root that nobody asked for: $(cat out)"
fi

# --- changes -----------------------------------------------------------------

# reproducible SOURCE MEMBER...: two captures of equal sources give equal members
reproducible() {
	expect_status 0 env SOURCE_DATE_EPOCH=1 nsplit -q --overwrite-dumps --uuid=01234567-89ab-cdef-0123-456789abcdef --stripe --raw \
		--chunksize=64K --digest "$@"
}

# A record is exchanged for that of another capture, so each of its checksums is correct.
cp core other
printf changed | dd of=other bs=1 seek=30000 conv=notrunc 2> dd.err
reproducible core a b
reproducible other e f
expect_status 0 njoin -q --verify a b
before=$(root a)
cp a exchanged
dd if=e of=exchanged bs=4096 skip=1 seek=1 count=17 conv=notrunc 2> dd.err
[ "$(root exchanged)" != "$before" ] || fail "the record was not exchanged"
different="its records are not those with which it was closed: their root is $(root exchanged), but its footer has $before"
for threads in 1 4; do
	expect_status 1 njoin -q --verify -j$threads exchanged b
	expect_err "njoin: exchanged: $different"
done
expect_status 1 njoin -q --verify b exchanged
mkfifo pipe
cat exchanged > pipe &
expect_status 1 njoin -q --verify pipe b
expect_err "njoin: pipe: $different"
wait
expect_status 3 njoin -q --verify --salvage exchanged b
expect_err "njoin: exchanged: $different"
# Without the check, it is joined.
expect_status 0 njoin -q -o copy exchanged b
same copy other

# A record that is damaged is reported as such.
cp a damaged
printf x | dd of=damaged bs=1 seek=$((4096 + 30000)) conv=notrunc 2> dd.err
expect_status 1 njoin -q --verify damaged b
expect_err "njoin: damaged: damaged at byte 4096: record of bytes 0 to 65535 of the source
njoin: damaged: its root was not checked, because not all of its records are intact
njoin: missing: bytes 0 to 65535 (64.0 KiB)
njoin: missing: 64.0 KiB in total"
