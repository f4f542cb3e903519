#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --filter passes each member to a command, which has the output's name in $FILE.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need gzip
mkfakevmcore -s 400000 -p random core

# nsplit's own environment is not changed.
FILE=elsewhere
export FILE
for engine in --serial -j2; do
	expect_status 0 nsplit -q "$engine" --stripe --chunksize=16K '--filter=cat > "$FILE"' core a 'b "1" $c'
	expect_err ""
	joined a 'b "1" $c'
	expect_status 0 nsplit -q "$engine" --stripe --chunksize=16K '--filter=gzip > "$FILE".gz' core 'm{1..3}'
	expect_err ""
	gunzip m1.gz m2.gz m3.gz
	joined m1 m2 m3
done
absent elsewhere elsewhere.gz

# The filter does not apply to outputs that are commands.
expect_status 0 nsplit -q --stripe --chunksize=16K '--filter=cat > "$FILE"' core a '|cat > "c $FILE"'
joined a 'c elsewhere'

# Messages name the output.
expect_status 0 nsplit -q --stripe --chunksize=16K '--filter=cat > "$FILE"; [ "$FILE" != b ]' core a b c
expect_err "nsplit: b: exited with status 1; given up, continuing on 2 outputs"
joined a c

# An existing file is not overwritten without -f.
echo precious > a
rm -f b
expect_status 2 nsplit -q '--filter=cat > "$FILE"' core b a
expect_err "nsplit: a: already exists; use -f to overwrite"
absent b
[ "$(cat a)" = precious ] || fail "a: $(cat a)"
expect_status 0 nsplit -q --overwrite-dumps '--filter=cat > "$FILE"' core b a
joined a b

# The name need not be a valid file name on this machine.
mkdir hosts
expect_status 0 nsplit -q --stripe --chunksize=16K '--filter=cat > "hosts/${FILE%%:*}"' core one:dir/a two:dir/b
joined hosts/one hosts/two

expect_status 2 nsplit -q '--filter=cat > "$FILE"' core a b a
expect_err "nsplit: a: was given twice"
expect_status 2 nsplit -q '--filter=cat > "$FILE"' core a ./a
expect_err "nsplit: ./a: is the same file as a"
expect_status 2 nsplit -q --overwrite-dumps '--filter=cat > "$FILE"' core core
expect_err "nsplit: core: is the source"
for name in - null:; do
	expect_status 2 nsplit -q '--filter=cat > "$FILE"' core a $name
	expect_err "nsplit: $name: cannot be combined with --filter, which requires file names"
done
expect_usage nsplit "--filter: the command is empty" -q --filter= core a
absent a

# As a key of the configuration; the command line wins.
printf 'filter = gzip > "$FILE".gz\noutput = a\n' > conf
expect_status 0 nsplit -q --config=conf core
gunzip a.gz
joined a
expect_status 0 nsplit -q --config=conf '--filter=cat > "$FILE"' core
joined a
absent a.gz

expect_status 0 nsplit -n '--filter=touch "$FILE"' core a
grep -qx 'output 0: a, command' out || fail "$(cat out)"
absent a

# A command that does not use the name cannot store the member there.
for filter in cat 'cat > $FILES' 'cat > ${FILENAME}' 'cat > FILE'; do
	expect_usage nsplit "--filter: the command must contain \$FILE, the name of its output, as in 'gzip > \"\$FILE\"'" \
		"--filter=$filter" core a
done
printf 'filter = cat\noutput = a\n' > conf
expect_status 2 nsplit -q --config=conf core
grep -qF 'the command must contain $FILE' err || fail "$(cat err)"

# A command that ends with status 0 without such a file has failed; the others take its share.
mkdir d
expect_status 0 nsplit -q '--filter=if [ "$FILE" = d/a ]; then cat > "$FILE"; else cat > /dev/null; fi' core d/a d/b
expect_err "nsplit: d/b: the command exited with status 0 but created no file of this name; given up, continuing on 1 output"
joined d/a
expect_status 1 nsplit -q '--filter=cat > /dev/null; echo "$FILE" > d/a1' core d/a
grep -qxF "nsplit: d/a: the command exited with status 0 but created no file of this name; given up, no output is left" err ||
	fail "$(cat err)"
rm d/a1
expect_status 0 nsplit -q '--filter=gzip > "$FILE".gz' core d/a
expect_err ""
rm d/a.gz
# If the command changes the name, or it has no directory, any file may be meant, so nothing is
# checked.
expect_status 0 nsplit -q '--filter=cat > "d/${FILE#d/x.}"' core d/x.c
expect_err ""
joined d/c
expect_status 0 nsplit -q '--filter=cat > "d/$FILE"' core a
expect_err "nsplit: a: the command exited with status 0, but there is no file of this name on this machine; check that the member was stored"
joined d/a
