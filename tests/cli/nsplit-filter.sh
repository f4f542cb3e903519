#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --filter feeds each member to a command, which finds the output's name in $FILE.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need gzip
mkfakevmcore -s 400000 -p random core

# joined MEMBER...: these alone give the core
joined() {
	closed "$@"
	expect_status 0 njoin -q -o copy "$@"
	same copy core
	rm -f copy "$@"
}

# The environment of nsplit itself stays as it is.
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

# Commands that are outputs themselves have nothing to do with it.
expect_status 0 nsplit -q --stripe --chunksize=16K '--filter=cat > "$FILE"' core a '|cat > "c $FILE"'
joined a 'c elsewhere'

# Messages name the output.
expect_status 0 nsplit -q --stripe --chunksize=16K '--filter=cat > "$FILE"; [ "$FILE" != b ]' core a b c
expect_err "nsplit: b: ended with status 1; given up, continuing on 2 outputs"
joined a c

# What is there is not written over without -f.
echo precious > a
rm -f b
expect_status 2 nsplit -q '--filter=cat > "$FILE"' core b a
expect_err "nsplit: a: exists already; -f writes over it"
absent b
[ "$(cat a)" = precious ] || fail "a: $(cat a)"
expect_status 0 nsplit -qf '--filter=cat > "$FILE"' core b a
joined a b

# A file of that name need not be possible here.
mkdir hosts
expect_status 0 nsplit -q --stripe --chunksize=16K '--filter=cat > "hosts/${FILE%%:*}"' core one:dir/a two:dir/b
joined hosts/one hosts/two

expect_status 2 nsplit -q --filter=cat core a b a
expect_err "nsplit: a: is the same output as a"
expect_status 2 nsplit -q --filter=cat core a ./a
expect_err "nsplit: ./a: is the same output as a"
expect_status 2 nsplit -qf --filter=cat core core
expect_err "nsplit: core: is the source, core"
for name in - null:; do
	expect_status 2 nsplit -q --filter=cat core a $name
	expect_err "nsplit: $name: is no name that --filter could give to its command"
done
expect_status 2 nsplit -q --filter= core a
expect_err "nsplit: --filter: there is no command in it
Try 'nsplit --help' for more information."
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
