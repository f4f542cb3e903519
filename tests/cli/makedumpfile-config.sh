#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The keys of nsplit.conf under the name makedumpfile: what applies, and what is for members on several disks.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"
need python3

make_core kinds
have_codec zlib || skip "this build has no zlib"
expect_status 0 nsplit -q -d 31 --format=kdump kinds want
NSPLIT_CONFIG=$PWD/conf
export NSPLIT_CONFIG

# conf LINE...: the file
conf() {
	printf '%s\n' "$@" > conf
}

# codec NAME ARGUMENT...: the dump has it
codec() {
	codec=$1
	shift
	expect_status 0 makedumpfile "$@" -d 31 kinds new
	told ""
	expect_status 0 njoin --info new
	grep -qx "dump: kdump-compressed, version 6, $codec, level 31" out || fail "$*: $(cat out)"
	rm new
}

# --- what applies

conf 'threads = 1'
expect_status 0 makedumpfile -D --num-threads 3 --dry-run kinds new
grep -qx 'threads: 1' err || fail "threads: $(cat err)"

# The codec, if the command line has none; its level, if it has the same.
conf 'compress = zlib:9'
codec zlib
for option in -c -D; do
	expect_status 0 makedumpfile $option -D --dry-run kinds new
	grep -q '^codec: zlib:9,' err || fail "$option: $(cat err)"
done
if have_codec lzo; then
	codec lzo -l
fi
conf 'compress = raw'
codec zlib -c
codec raw
# The form knows no other codecs; an ELF core has none.
for name in lz4 auto; do
	[ $name = auto ] || have_codec $name || continue
	conf "compress = $name"
	expect_status 0 makedumpfile -d 31 kinds new
	told "makedumpfile: $PWD/conf: compress: the dump cannot have the codec $name; pages are not compressed"
	same_dump new want
	rm new
	codec zlib -c
done
conf 'compress = zlib'
NSPLIT_CONFIG='' nsplit -q --format=elf -d 31 kinds elf
dumped new -E -d 31 kinds new
same new elf
rm new

conf 'stats = figures'
dumped new -d 31 kinds new
grep -q '"source_bytes": 24571904' figures || fail "stats: $(cat figures)"
rm new
conf 'sink-timeout = 5' 'direct = never' 'mmap = never' 'mem-limit = 30M'
dumped new -d 31 kinds new
same_dump new want
rm new

# --- what does not

# shellcheck disable=SC2016 # for another shell
conf 'output = other' 'also = other{1..2}' 'fallback = |cat > other' 'filter = cat > "$FILE"' 'stripe = yes' \
	'chunksize = 12K' 'blocksize = 64K' 'format = members' 'dump-level = 16' 'quiet = yes' 'verbose = yes' \
	'progress = never'
dumped new -d 31 kinds new
same_dump new want
absent other other1 other2
! grep -q '^form: ' err || fail "verbose: $(cat err)"
rm new
conf 'exclude = free,user' 'format = elf'
dumped new -c kinds new
expect_status 0 njoin --info new
grep -qx 'dump: kdump-compressed, version 6, zlib, level 0' out || fail "exclude: $(cat out)"
rm new
# kdump would rename the dump, and the file beside it would name another one.
if nsplit --no-config --dry-run --digest kinds new > out 2> err; then
	conf 'digest = yes'
	dumped new -d 31 kinds new
	absent new.sha256
	rm new
fi
# Whoever may write over a file says so on the command line.
conf 'force = yes'
echo precious > new
expect_status 1 makedumpfile kinds new
expect_err "makedumpfile: new: exists; use -f to overwrite it"
[ "$(cat new)" = precious ] || fail "what existed was changed"
rm new

# --- what is wrong costs no dump

conf 'compres = zlib' threads 'mem-limit = much' 'threads = 1'
expect_status 0 makedumpfile -D -d 31 kinds new
grep ': ignored: ' err > told
cat > wanted << END
makedumpfile: ignored: $PWD/conf:1: unknown key 'compres'; do you mean 'compress'? nsplit.conf(5) lists all
makedumpfile: ignored: $PWD/conf:2: 'threads' is not of the form 'key = value'
makedumpfile: ignored: $PWD/conf:3: mem-limit: 'much' is not a size$size_rule
END
same told wanted
grep -qx 'threads: 1' err || fail "threads: $(cat err)"
same_dump new want
rm new conf
for what in missing directory; do
	expect_status 0 makedumpfile -d 31 kinds new
	[ $what = directory ] && text="is not a regular file" || text="No such file or directory"
	told "makedumpfile: ignored: $PWD/conf: $text"
	same_dump new want
	rm new
	mkdir -p conf
done
rmdir conf
# A check does not forgive it; what is no dump does not read it.
conf nonsense
expect_status 1 makedumpfile --check-params vmcore dumpfile
expect_err "makedumpfile: $PWD/conf:1: 'nonsense' is not of the form 'key = value'"
expect_out ""
expect_status 0 makedumpfile --reassemble want new
told ""
