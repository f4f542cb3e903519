#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Errors in the configuration file: the line is named, and no file is created.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

echo data > core

# refused STATUS TEXT: nsplit reports TEXT after "conf" and exits with STATUS
refused() {
	expect_status "$1" nsplit --config=conf core new
	expect_err "nsplit: conf$2"
	expect_out ""
	absent new
}

# line TEXT LINE: LINE as the third line of the file is refused with TEXT
line() {
	printf '# settings\nthreads = 2\n%s\n' "$2" > conf
	refused 2 ":3: $1"
}

line "unknown key 'compres'; do you mean 'compress'? nsplit.conf(5) lists all" 'compres = lzo'
line "unknown key '-j'; see nsplit.conf(5)" '-j = 2'
line "unknown key 'Threads'; do you mean 'threads'? nsplit.conf(5) lists all" 'Threads = 2'
# Options that are not keys.
for key in dry-run serial uuid config no-config list-codecs help source; do
	line "unknown key '$key'; see nsplit.conf(5)" "$key = x"
done
line "key 'threads' is already set in line 2" 'threads = 2'
line "'threads 3' is not of the form 'key = value'" 'threads 3'
line "'= 3' is not of the form 'key = value'" '= 3'
line "'[section]' is not of the form 'key = value'" '[section]'
line "mem-limit: '12Q' is not a size$size_rule" 'mem-limit = 12Q'
line "mem-limit: '' is not a size$size_rule" 'mem-limit ='
line "mem-limit 0 is out of range; use 1 to 9223372036854775807" 'mem-limit = 0'
line "blocksize must be a power of two from 4096 to 1048576, not '5000'" 'blocksize = 5000'
line "chunksize 65M is out of range; use 4096 to 67108864" 'chunksize = 65M'
line "sink-timeout '' is not a number of seconds" 'sink-timeout ='
line "sink-timeout 0.01 is out of range; use 0.1 to 1000000 seconds, or 0" 'sink-timeout = 0.01'
line "unknown codec 'lzo # fast'; --list-codecs lists them" 'compress = lzo # fast'
line "direct must be auto, always or never, not ''" 'direct ='
line "progress must be auto, always or never, not 'yes'" 'progress = yes'
line "force must be yes or no, not ''" 'force ='
line "stripe must be yes or no, not 'true'" 'stripe = true'
line "also: the name of the output is empty" 'also ='
line "output: too many names; at most 254" 'output = {1..255}'

printf 'threads = 5000\n' > conf
refused 2 ":1: threads 5000 is out of range; use 1 to 4096"
printf 'quiet = yes\nthreads\0 = 3\n' > conf
refused 2 ":2: contains a NUL byte"
head -c 65537 /dev/zero | tr '\0' '#' > conf
refused 2 ": is longer than 65536 bytes"
head -c 65536 /dev/zero | tr '\0' '#' > conf
expect_status 0 nsplit -q --config=conf core new
rm new

# A value is checked even if the command line overrides it, since it will be used another time.
printf 'threads = x\n' > conf
expect_status 2 nsplit -j2 --config=conf core new
expect_err "nsplit: conf:1: threads 'x' is not a number"

# Settings that cannot be combined are reported like those of the command line.
printf 'stripe = yes\n' > conf
expect_usage nsplit "--stripe cannot be combined with --compress=auto" --config=conf -C auto core new

rm conf
refused 1 ": No such file or directory"
mkdir conf
refused 2 ": is not a regular file"
rmdir conf
mkfifo conf
refused 2 ": is not a regular file"
absent new
