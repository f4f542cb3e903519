#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An output of --also or --fallback that must not be written is skipped, and its contents are kept;
# the dump is complete without it.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 400000 -p random core
mkdir d1 d2 d3 directory
ln -s nothing dangling

# all_joined MEMBER...: these give the core and are all members of their set
all_joined() {
	expect_status 0 njoin -q --info "$@"
	[ "$(grep -c '^member ' out)" -eq $# ] || fail "$(cat out)"
	joined "$@"
}

# A second crash finds the files of the first.
echo 'also = d{1..3}/vmcore' > conf
expect_status 0 nsplit -q --config=conf core a
expect_err ""
mkdir kept
cp d1/vmcore kept/1
cp d2/vmcore kept/2
rm d3/vmcore a
for engine in --serial -j2; do
	expect_status 0 nsplit -q "$engine" --config=conf --chunksize=16K core a
	expect_err "nsplit: d1/vmcore: is a member; use --overwrite-dumps to overwrite it; continuing without it
nsplit: d2/vmcore: is a member; use --overwrite-dumps to overwrite it; continuing without it"
	all_joined a d3/vmcore
	# With one more whose directory is missing.
	expect_status 0 nsplit -q "$engine" --config=conf --also=d1/vmcore --also=nowhere/b --also=d3/b core a
	expect_err "nsplit: d1/vmcore: is a member; use --overwrite-dumps to overwrite it; continuing without it
nsplit: nowhere/b: the directory nowhere does not exist; given up, continuing on 2 outputs"
	rm -f a d3/b
	# A stream, with extra outputs only, which are skipped.
	expect_status 0 nsplit -q "$engine" --config=conf --also='d{1..2}/vmcore' - a < core
	expect_err "nsplit: d1/vmcore: is a member; use --overwrite-dumps to overwrite it; continuing without it
nsplit: d2/vmcore: is a member; use --overwrite-dumps to overwrite it; continuing without it"
	all_joined a
done
same d1/vmcore kept/1
same d2/vmcore kept/2

# left_out TEXT NAME: the output is skipped with --also and with --fallback, and the others are as
# if it were not given
SOURCE_DATE_EPOCH=0
export SOURCE_DATE_EPOCH
uuid=--uuid=01234567-89ab-4cde-8f01-23456789abcd
nsplit -q --stripe --chunksize=16K $uuid --fallback=c core w1 w2
left_out() {
	expect_status 0 nsplit -q --stripe --chunksize=16K $uuid --also="$2" --also=b --fallback=c core a
	expect_err "nsplit: $1; continuing without it"
	same a w1
	same b w2
	rm a b
	expect_status 0 nsplit -q --stripe --chunksize=16K $uuid --also=b --fallback="$2" --fallback=c core a
	expect_err "nsplit: $1; continuing without it"
	same a w1
	same b w2
	absent c
	rm a b
}

left_out 'd1/vmcore: is a member; use --overwrite-dumps to overwrite it' d1/vmcore
left_out 'core: is the source' core
left_out './a: is the same file as a' ./a
left_out 'directory: is a directory; an output must be a file or a device' directory
left_out 'dangling: is a dangling symbolic link' dangling
left_out '|: the command is empty' '|'
left_out 'null: discards its data, so it cannot be combined with other outputs' null:
unset SOURCE_DATE_EPOCH
absent nothing
same d1/vmcore kept/1
cp core source
expect_status 0 nsplit -q --overwrite-dumps --also=core core a
expect_err "nsplit: core: is the source; continuing without it"
same core source
all_joined a
expect_status 0 nsplit -q --filter='cat > "$FILE"' --also=- core a
expect_err "nsplit: -: cannot be combined with --filter, which requires file names; continuing without it"
all_joined a

# The next fallback is used.
expect_status 0 nsplit -q --fallback='d{1..3}/vmcore' core nowhere/a
expect_err "nsplit: d1/vmcore: is a member; use --overwrite-dumps to overwrite it; continuing without it
nsplit: d2/vmcore: is a member; use --overwrite-dumps to overwrite it; continuing without it
nsplit: nowhere/a: the directory nowhere does not exist; given up, continuing on the fallback d3/vmcore"
expect_status 0 njoin -q -o copy d3/vmcore
same copy core
rm copy d3/vmcore
expect_status 1 nsplit -q --fallback=d1/vmcore core nowhere/a
expect_err "nsplit: d1/vmcore: is a member; use --overwrite-dumps to overwrite it; continuing without it
nsplit: nowhere/a: the directory nowhere does not exist; given up, no output is left
nsplit: nothing was captured: every output failed"

# With -f, existing files are used.
cp d1/vmcore over
expect_status 0 nsplit -q --overwrite-dumps --also=over core a
expect_err ""
all_joined a over

# -n reports in advance what would be done, and the problems.
expect_status 1 nsplit -n --also='d{1..3}/vmcore' --fallback=d1/vmcore --fallback=c core a
expect_err "nsplit: d1/vmcore: is a member; use --overwrite-dumps to overwrite it; it would be skipped
nsplit: d2/vmcore: is a member; use --overwrite-dumps to overwrite it; it would be skipped
nsplit: d1/vmcore: is a member; use --overwrite-dumps to overwrite it; it would be skipped"
grep ^output out > have
cat > want << END
output 0: a, file
output 1: d3/vmcore, file
output 2: c, file, fallback
END
same have want
grep -q ' + 3 outputs x ' out || fail "$(cat out)"
expect_status 0 nsplit --check-params --also='d{1..3}/vmcore' core a
expect_err "nsplit: warning: d1/vmcore: is a member; use --overwrite-dumps to overwrite it
nsplit: warning: d2/vmcore: is a member; use --overwrite-dumps to overwrite it"
absent a d3/vmcore c

# An output of the command line or of the key output must be usable.
printf 'output = a\noutput = d1/vmcore\nalso = b\n' > conf
expect_status 2 nsplit -q --config=conf core
expect_err "nsplit: d1/vmcore: is a member; use --overwrite-dumps to overwrite it"
expect_status 2 nsplit -q --also=d2/vmcore core d1/vmcore
expect_err "nsplit: d1/vmcore: is a member; use --overwrite-dumps to overwrite it"
absent a b
same d1/vmcore kept/1
same d2/vmcore kept/2
