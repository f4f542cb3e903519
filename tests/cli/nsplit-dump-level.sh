#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --dump-level and --exclude: what is left out, what is said about it, and that nothing prevents
# the dump.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

make_core kinds
make_core log

# usage TEXT ARGUMENT...: refused, and no file is created
usage() {
	expect_usage nsplit "$@"
	absent new
}

not_a_level="is not a dump level, which is a number from 0 to 31: the sum of 1 (zero), 2 (cache), 4 (private), \
8 (user) and 16 (free)"
words="the classes are zero, cache, private, user and free"
usage "-d: '32' $not_a_level" -d 32 kinds new
usage "-d: '17,31' is a list of dump levels; use a single one" -d 17,31 kinds new
usage "-d: ' ' $not_a_level" -d ' ' kinds new
usage "--exclude: unknown class of pages 'frei'; $words" --exclude=user,frei kinds new
usage "--stripe cannot be combined with --dump-level or --exclude" --stripe -d 31 kinds new
usage "--stripe cannot be combined with --dump-level or --exclude" --stripe --exclude=free kinds new

stream="standard input: --dump-level and --exclude need a source that can be read more than once, and \
this is a stream; omit them, or capture to a file first"
expect_status 2 nsplit -d 31 - new < kinds
expect_err "nsplit: $stream"
expect_status 2 nsplit --check-params -d 31 - new < kinds
expect_err "nsplit: $stream"
[ ! -e new ] || fail "a stream with -d: creates a file"
# Nothing is left out, but memory that the source has twice is stored once.
usage "--stripe cannot be combined with --dump-level or --exclude" --stripe -d 0 kinds new
expect_status 2 nsplit -d 0 - new < kinds
expect_err "nsplit: $stream"
[ ! -e new ] || fail "a stream with -d 0: creates a file"
expect_status 0 nsplit -q --exclude=none --stripe - new < kinds
cmp -s new /dev/null && fail "--exclude=none of a stream: nothing was captured"
rm new

# has LEVEL CLASS...: out.json says that these are left out, and what the members hold is the rest of kinds
has() {
	python3 -B - "$@" << 'END' || fail "$*: $(cat out.json)"
import json, sys
core, class_of = open("kinds", "rb").read(), open("class", "rb").read()
stats = json.load(open("out.json"))
got = {c["name"]: c for c in stats["classes"]}
assert stats["outcome"] == "perfect" and stats["layers"] is True, stats["outcome"]
assert stats["dump_level"] == int(sys.argv[1]), stats["dump_level"]
assert sum(c["missing"] for c in got.values()) == 0
assert sum(c["kept"] + c["left_out"] for c in got.values()) + stats["second_place_bytes"] == len(core)
out = {name for name, c in got.items() if c["left_out"]}
assert out == set(sys.argv[2:]), out
END
}

# same_ratio: nsplit --stats=out.json and njoin --info have the same compression ratio for a and b: that
# of what is stored, without what is left out, and with second places stored once
same_ratio() {
	expect_status 0 njoin --info --json a b
	python3 -B - << 'END' || fail "the ratio: $(cat out.json out)"
import json
stats, info = json.load(open("out.json")), json.load(open("out"))
kept = sum(c["kept"] for c in stats["classes"])
assert abs(stats["ratio"] - kept / stats["bytes"]) < 1e-6, kept
assert abs(stats["ratio"] - info["ratio"]) < 1e-6
END
}

# captured LEVEL CLASSES OPTION...: at this level, with one thread and with several
captured() {
	level=$1 classes=$2
	shift 2
	for threads in -j1 -j3 --serial; do
		expect_status 0 nsplit -q --stats=out.json $threads "$@" kinds a b
		[ ! -s err ] || fail "nsplit $threads $*: $(cat err)"
		# shellcheck disable=SC2086	# several words
		has "$level" $classes
		same_ratio
		expect_status 0 njoin -q --verify a b
		rm a b
	done
}

always="offline poisoned"
captured 30 "private clean anonymous hugetlb free $always" -d 31
captured 2 "clean $always" -d 2
captured 6 "clean private $always" -d 4
captured 8 "anonymous hugetlb $always" --exclude=user
captured 24 "anonymous hugetlb free $always" --exclude=user,zero --exclude=free
captured 24 "anonymous hugetlb free $always" -d 8 --exclude=free -c

# As for makedumpfile: a script passes a setting that may be empty.
expect_status 0 nsplit -q --stats=out.json -d '' kinds a
grep -q '"dump_level": [^0]' out.json && fail "-d '' leaves pages out: $(cat out.json)"
expect_status 0 njoin -qo joined a
cmp kinds joined
rm a joined

# In the configuration file; the command line replaces it.
printf 'dump-level = 8\nexclude = free\n' > conf
captured 24 "anonymous hugetlb free $always" --config=conf
captured 2 "clean $always" --config=conf --exclude=cache
expect_status 0 nsplit -q --config=conf --exclude=none --stripe --stats=out.json kinds a
grep -q dump_level out.json && fail "--exclude=none does not override the configuration file"
expect_status 0 njoin -qo joined a
cmp kinds joined
rm a joined
# It also cancels what stands before it, but not what follows.
expect_status 0 nsplit -q -d 31 --exclude=none --stripe --stats=out.json kinds a
grep -q dump_level out.json && fail "--exclude=none does not cancel -d"
rm a
printf 'dump-level = 31\nexclude = none\n' > none
expect_status 0 nsplit -q --config=none --stripe --stats=out.json kinds a
grep -q dump_level out.json && fail "exclude = none does not cancel dump-level"
rm a none
captured 2 "clean $always" -d 31 --exclude=none -d 2

# once SOURCE SIZE OPTION...: at level 0 nothing is left out, and SIZE is stored once
once() {
	source=$1 size=$2
	shift 2
	for threads in -j1 -j3 --serial; do
		expect_status 0 nsplit --stats=out.json $threads "$@" "$source" a b
		grep -qx "nsplit:   second places: $size that the source has twice, counted once" err || fail "$*: $(cat err)"
		grep -q 'left out\|kept' err && fail "$*: $(cat err)"
		# In the summary, too.
		grep -q ", ratio $(njoin --info a b | sed -n 's/^ratio: //p')\$" err || fail "$*: $(cat err)"
		same_ratio
		grep -q '"dump_level": 0,' out.json && grep -q '"layers": true' out.json || fail "$(cat out.json)"
		expect_status 0 njoin -q --verify a b
		expect_status 0 njoin -qo joined a b
		cmp "$source" joined
		rm a b joined
	done
}

once kinds "64.0 KiB" --config=conf -d 0
once kinds "64.0 KiB" -d 1
once kinds "64.0 KiB" --exclude=zero -c
printf 'dump-level = 0\n' > conf
once kinds "64.0 KiB" --config=conf
# The memory map is not needed for that.
sed 's/SIZE(page)/XIZE(page)/' kinds > no-map
once no-map "64.0 KiB" -d 0
printf 'dump-level = 32\n' > conf
expect_status 2 nsplit --config=conf kinds a
expect_err "nsplit: conf:1: dump-level: '32' $not_a_level"

# The summary.  Its sentence divides, and says how to go on.
# divides: the ratio is that of the two sizes before it, as far as these are rounded
divides() {
	sed -n 's/^nsplit: .* captured in .*; \([0-9.]*\) MiB stored in \([0-9.]*\) MiB, ratio \([0-9.]*\)$/\1 \2 \3/p' err > sizes
	awk '{ ratio = $1 / $2; good = $3 > ratio * 0.94 && $3 < ratio * 1.06 } END { exit !good }' sizes ||
		fail "$(cat err)"
}
for options in '-d 31' '-d 0' '' '-d 31 --format=kdump -C zlib'; do
	# shellcheck disable=SC2086 # words
	expect_status 0 nsplit --overwrite-dumps $options kinds "of it"
	divides
	opens="nsplit-mount 'of it' DIR && crash VMLINUX DIR/vmcore.kdump"
	[ "${options#*--format}" = "$options" ] || opens="crash VMLINUX 'of it'"
	tail -n 1 err > told
	echo "nsplit: to open it: $opens" > want
	same told want
done
rm "of it"
# With other outputs, the command may be too slow to get anything.  kdump's scripts rename the other.
for output in '|cat > c' vmcore-incomplete; do
	expect_status 0 nsplit -d 31 kinds "$output"
	tail -n 1 err > told
	echo "nsplit: to open it: nsplit-mount MEMBER... DIR && crash VMLINUX DIR/vmcore.kdump" > want
	same told want
done
rm c vmcore-incomplete
expect_status 0 nsplit -d 31 kinds a b
grep -q '^nsplit:   left out: 9.1 MiB (private 40.0 KiB, cache 600.0 KiB, user 4.4 MiB, '\
'free 4.0 MiB, offline 16.0 KiB, poisoned 4.0 KiB)$' err || fail "summary: $(cat err)"
grep -q '^nsplit:   kept: 23.4 MiB (kernel 23.4 MiB)$' err || fail "summary: $(cat err)"
rm a b

# An output that is full in the last pass: what came before is complete, and is said to be.
(ulimit -f 8 && trap '' XFSZ && head -c 100000 kinds > probe 2> probe.err) || :
unit=$(($(wc -c < probe) / 8))
if [ "$unit" = 512 ] || [ "$unit" = 1024 ]; then
	status=0
	(ulimit -f $((25600000 / unit)) && trap '' XFSZ && exec nsplit -q -C raw -d 16 kinds a) 2> err || status=$?
	[ "$status" = 3 ] || fail "full: exit status $status: $(cat err)"
	grep -q '^nsplit: missing: .* in total; complete layers: 3; njoin --verify lists the pages$' err ||
		fail "full: $(cat err)"
	rm a
fi

# A class that is not believed: a warning, and exit status 0.
why="user: 16 pointers in the kernel image, of 200, lead to such pages"
expect_status 0 nsplit -q --stats=out.json -d 31 doubted a b
expect_err "nsplit: pages that were to be left out are captured after all: $why
nsplit: warning: pages that were to be left out were captured after all: $why"
grep -q "\"kept_after_all\": \"$why\"" out.json || fail "$(cat out.json)"
expect_status 0 njoin -q --verify a b
rm a b

# The output was full before: what was not captured is missing.
if [ "$unit" = 512 ] || [ "$unit" = 1024 ]; then
	status=0
	(ulimit -f $((25600000 / unit)) && trap '' XFSZ && exec nsplit -q -C raw -d 31 doubted a) 2> err || status=$?
	[ "$status" = 3 ] || fail "full: exit status $status: $(cat err)"
	tail -n 1 err | grep -qx "nsplit: warning: pages that were to be left out are missing unless they were captured: $why" ||
		fail "full: $(cat err)"
	rm a
fi

# everything SOURCE WHY OPTION...: nothing can be left out, and the whole source is captured
everything() {
	source=$1 why=$2
	shift 2
	expect_status 0 nsplit -q "$@" --stats=out.json "$source" a b
	expect_err "nsplit: warning: nothing is left out: $why"
	grep -q '"layers": false' out.json || fail "$(cat out.json)"
	expect_status 0 njoin -qo joined a b
	cmp "$source" joined
	rm a b joined
}

# Without a core nothing is known, and nothing was to be left out.
printf 'no core' > text
expect_status 0 nsplit -q -d 0 --stats=out.json text a b
expect_err ""
grep -q '"layers": false' out.json || fail "$(cat out.json)"
expect_status 0 njoin -qo joined a b
cmp text joined
rm a b joined
: > nothing
everything text "unsupported source: not an ELF file" -d 31
everything nothing "unsupported source: not an ELF file" -d 31
everything ring "the core does not describe its pages: VMCOREINFO has no valid SIZE(page)" --exclude=user -c
dd if=kinds of=cut bs=4096 count=20 2> made
expect_status 0 nsplit -q -d 31 cut a b
expect_status 0 njoin -q --verify a b
rm a b

# With too little memory for it, but enough for the rest.
nsplit --serial -n kinds a > plan
nsplit --serial -n -d 31 kinds a > plan-layers
cmp -s plan plan-layers && fail "-n -d 31: the memory is the same"
grep -q '^left out: cache, private, user, free$' plan-layers || fail "$(cat plan-layers)"
if nsplit --serial --mem-limit=1 kinds a 2> err; then
	fail "--mem-limit=1 is enough"
fi
# With one output, since the writer of a member with layers takes less than another one.
least=$(sed -n 's/.*at least \([0-9]*\) bytes.*/\1/p' err)
expect_status 0 nsplit -q -d 31 --serial --mem-limit="$least" kinds a
expect_err "nsplit: warning: nothing is left out: there is too little memory for it"
expect_status 0 njoin -qo joined a
same kinds joined
rm a joined

nsplit -n -d 16 text a > plan 2> err
grep -q '^left out: nothing, although asked for$' plan || fail "$(cat plan)"

# The check of a setup: the capture may leave nothing out, so this is no failure.
expect_status 0 nsplit --check-params -d 31 kinds a
[ ! -s err ] || fail "--check-params: $(cat err)"
expect_status 0 nsplit --check-params -d 31 text a
expect_err "nsplit: warning: nothing is left out: unsupported source: not an ELF file"
