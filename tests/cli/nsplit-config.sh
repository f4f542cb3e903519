#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Settings of the configuration file take effect unless the command line overrides them.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

head -c 5000 "$srcdir/COPYING" > core

# plan PATTERN ARGUMENT...: the lines of a dry run that match PATTERN are those of the file want
plan() {
	pattern=$1
	shift
	expect_status 0 nsplit -n "$@"
	expect_err ""
	grep -e "$pattern" out > have || :
	same have want
}

# The last line has no newline.
printf '# a comment = 1\n\n \t\n  # another\ncompress = zlib:2\n\tthreads=3 \nblocksize =64K\nchunksize= 2M\r\n' > conf
printf 'also = odd # name\nalso = d{1..2}\nsink-timeout = 1.5\nprogress = never\nmmap = never\ndirect = never\nquiet = no\nstripe = yes' >> conf
if have_codec zlib; then
	codec=zlib:2
else
	sed -i 's/zlib:2/raw/' conf
	codec=raw
fi

cat > want << END
configuration: conf
source: core, 4.9 KiB
codec: $codec, blocks of 65536 bytes, chunks of 2097152
threads: 3
output 0: new, file
output 1: odd # name, file
output 2: d1, file
output 3: d2, file
END
plan '^[^m][^p]' --config=conf core new

# Options override the file at any position, including the letter of a codec.
cat > want << END
codec: lzo, blocks of 4096 bytes, chunks of 2097152
threads: 1
output 0: new, file
output 1: other, file
output 2: more, file
END
plan '^[cto][ohu][dtr]' -c -j1 --config=conf -b4K core new --also=other --also more
plan '^[cto][ohu][dtr]' core new --config=conf --also=other --also more -c -j1 -b4K

# Outputs of the file are used if the command line has none.
cat > outputs << END
output = one{1..2}
output = three
also = four
END
cat > want << END
output 0: one1, file
output 1: one2, file
output 2: three, file
output 3: four, file
END
plan ^output --config=outputs core
printf 'output 0: new, file\noutput 1: four, file\n' > want
plan ^output --config=outputs core new
echo 'also = four' > also
expect_usage nsplit "no OUTPUT given" --config=also core
# An output that is named twice is written once.
expect_status 0 nsplit -q --config=outputs core ./four
expect_err "nsplit: four: is the same file as ./four; continuing without it"
expect_status 0 njoin -q -o copy four
same core copy
rm four copy

# The last --config or --no-config takes effect; without them, NSPLIT_CONFIG.
echo 'threads = 7' > seven
: > empty
for arguments in '--config=seven' '--no-config --config=seven' '--config=empty --config=seven'; do
	printf 'configuration: seven\nthreads: 7\n' > want
	# shellcheck disable=SC2086 # a list of options
	plan '^[ct][oh][nr]' $arguments core new
done
printf 'threads: 2\n' > want
plan '^[ct][oh][nr]' --config=seven --no-config -j2 core new
NSPLIT_CONFIG=seven
plan '^[ct][oh][nr]' --no-config -j2 core new
printf 'configuration: seven\nthreads: 7\n' > want
plan '^[ct][oh][nr]' core new
NSPLIT_CONFIG=nowhere
plan '^[ct][oh][nr]' --config=seven core new
expect_status 1 nsplit core new
expect_err "nsplit: nowhere: No such file or directory"
NSPLIT_CONFIG=

# yes and no; settings that a dry run does not print.
echo precious > old
printf 'force = yes\nquiet = yes\nstats = figures\nalso = b\n' > forced
expect_status 0 nsplit --config=forced core old
expect_err ""
closed old b
grep -q '"outcome": "perfect"' figures || fail "no statistics: $(cat figures)"
expect_status 0 njoin -q -o copy old b
same core copy
printf 'force = no\n' > forced
expect_status 2 nsplit --config=forced core old
expect_err "nsplit: old: is a member; use --overwrite-dumps to overwrite it"
expect_status 0 nsplit --overwrite-dumps -q --config=forced core old

# A yes can be overridden; on the command line, the last option takes effect.
cp old kept
printf 'force = yes\nstripe = yes\n' > forced
expect_status 2 nsplit --config=forced --no-force core old
expect_err "nsplit: old: is a member; use --overwrite-dumps to overwrite it"
expect_status 2 nsplit -f --no-force core old
expect_err "nsplit: old: is a member; use --overwrite-dumps to overwrite it"
same old kept
expect_status 0 nsplit -n --no-force --overwrite-dumps core old
expect_status 2 nsplit -n --config=forced -C auto core new
expect_status 0 nsplit -n --config=forced --no-stripe -C auto core new
printf 'quiet = yes\nverbose = yes\n' > loud
expect_status 0 nsplit --overwrite-dumps --config=loud --no-verbose core old
expect_err ""
expect_status 0 nsplit --overwrite-dumps --config=loud --no-verbose --no-quiet core old
grep -q '^nsplit: 4.9 KiB captured in ' err || fail "$(cat err)"
expect_usage nsplit "option '--no-force' takes no value" --no-force=yes core new

# -v prints the name of the file.
printf 'quiet = yes\nverbose = yes\n' > loud
expect_status 0 nsplit --config=loud core new
[ "$(head -n 1 err)" = 'configuration: loud' ] || fail "$(cat err)"

# --version does not read the file.
expect_status 0 nsplit --config=nowhere --version
expect_err ""
