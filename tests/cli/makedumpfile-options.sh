#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The options of makedumpfile that nsplit has, too: what is written with each of them.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"
need python3
need_no_original

make_core kinds
have_codec zlib || skip "this build has no zlib"

# An option that is added needs a test here, in makedumpfile-ignored.sh or in makedumpfile-original.sh.
expect_status 0 makedumpfile --help=all
expect_err ""
narrow --help=all
sed -n 's/^  \(-[[:alpha:]]\).*/\1/p; s/^  \(-., \)*  *\(--[-a-z_]*\).*/\2/p' out | sort > names
for name in -c -l -p -z -d -E -F -R -f -L -D -h -v -x -i -b -e -g -X --num-threads --split --reassemble --dump-dmesg \
	--partial-dmesg --message-level --show-stats --dry-run --non-mmap --check-params --cyclic-buffer \
	--splitblock-size --work-dir --config --eppic --diskset --mem-usage --vtop --xen-syms --xen-vmcoreinfo \
	--xen_phys_start; do
	printf '%s\n' "$name"
done | sort > want
same names want
expect_status 0 makedumpfile --help
cp out help
expect_status 0 makedumpfile -h
same out help
head -n 1 help > first
echo "Usage: makedumpfile [OPTION]... VMCORE DUMPFILE" > want
same first want

# -v.  Scripts look for the version of the original, and for the codecs.
expect_status 0 makedumpfile -v
expect_err ""
nsplit --version > version
printf 'makedumpfile: version 1.7.8 (%s)\n' "$(head -n 1 version | sed 's/ (.*//')" > want
for codec in lzo snappy zstd; do
	have_codec $codec && word=enabled || word=disabled
	printf '%s\t%s\n' "$codec" "$word" >> want
done
printf 'original program\tnot found\n' >> want
sort out > got
sort want > want.sorted
same got want.sorted

# --- levels and codecs

rm want
for level in 0 1 2 4 8 16 31; do
	expect_status 0 nsplit -q -d $level --format=kdump kinds want
	dumped new -d $level kinds new
	same_dump new want
	[ $level -eq 31 ] || rm new want
done
expect_status 0 njoin -q --format=elf -o memory new
rm new
dumped new kinds new
expect_status 0 nsplit -q --format=kdump kinds whole
same_dump new whole
rm new

for pair in c:zlib l:lzo p:snappy z:zstd; do
	letter=${pair%:*} codec=${pair#*:}
	have_codec "$codec" || continue
	dumped new -"$letter" -d 31 kinds new
	expect_status 0 njoin --info new
	grep -qx "dump: kdump-compressed, version 6, $codec, level 31" out || fail "-$letter: $(cat out)"
	expect_status 0 njoin -q --format=elf -o copy new
	same copy memory
	[ "$(wc -c < new)" -lt 4000000 ] || fail "-$letter: $(wc -c < new) bytes"
	rm new copy
done
# The last one counts.
if have_codec lzo; then
	dumped new -l -c -d 31 kinds new
	expect_status 0 njoin --info new
	grep -q ', zlib, level 31$' out || fail "-l -c: $(cat out)"
	rm new
fi

# As atoi() reads them.
taken() {
	expect_status 0 makedumpfile "$1" "$2" kinds new
	told "makedumpfile: $1: '${2%%,*}' is taken for $3, as by the original program"
	expect_status 0 njoin --info new
	grep -q ", level $3\$" out || fail "$1 $2: $(cat out)"
	rm new
}
taken -d foo 0
taken -d 17x 17
taken -d 17x,3 17
# As strtok() does.  KDUMP_DUMPLEVEL of SUSE may be empty.
for none in '' ',' ',,'; do
	dumped new -d "$none" kinds new
	expect_status 0 njoin --info new
	grep -q ", level 0\$" out || fail "-d '$none': $(cat out)"
	rm new
done
dumped new -d ,31,,0 kinds new
same_dump new want
rm new
# The next ones are for disks that are too small (makedumpfile-levels.sh).
dumped new -d 31,1,0 kinds new
same_dump new want
rm new

one="is not a dump level, which is a number from 0 to 31"
list="is not a list of up to 32 dump levels from 0 to 31"
refused "-d: '32' $one" -d 32 kinds new
refused "-d: '-1' $one" -d -1 kinds new
refused "-d: '1,32' $list" -d 1,32 kinds new
many=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
dumped new -d $many kinds new
rm new
refused "-d: '$many,0' $list" -d $many,0 kinds new
refused "option '-d' needs a value: -d LEVEL" kinds new -d

# --- the form

dumped new -E -d 31 kinds new
expect_status 0 nsplit -q --format=elf -d 31 kinds elf
same new elf
rm new

expect_status 0 makedumpfile -F -d 31 kinds
told "$(saved STDOUT)"
mv out flat
same_dump flat want
expect_status 0 makedumpfile -E -F -d 31 kinds
told "$(saved STDOUT)"
head -c 16 out | tr -d '\0' > magic
[ "$(cat magic)" = makedumpfile ] || fail "-E -F is not flattened"

# What is there already is left alone, unless -f is given.
echo precious > new
expect_status 1 makedumpfile kinds new
expect_err "makedumpfile: new: exists; use -f to overwrite it"
expect_out "$failed"
[ "$(cat new)" = precious ] || fail "what existed was changed"
chmod 600 new
dumped new -f -d 31 kinds new
same_dump new want
rm new

# --- the rest

for threads in 1 3; do
	expect_status 0 makedumpfile -D --num-threads $threads -d 31 kinds new
	grep -qx "threads: $threads" err || fail "--num-threads $threads: $(cat err)"
	same_dump new want
	rm new
done
# No number, and not more than there can be.
expect_status 0 nsplit -n kinds null:
grep '^threads: ' out > usual
for threads in 0 -4 many; do
	expect_status 0 makedumpfile -D --num-threads=$threads --dry-run kinds new
	grep '^threads: ' err > got
	same got usual
done
expect_status 0 makedumpfile --message-level 8 --num-threads=99999999 --dry-run kinds new
grep -q '^threads: [0-9]*$' err || fail "--num-threads=99999999: $(cat err)"

expect_status 0 makedumpfile --dry-run -d 31 kinds new
told ""
expect_out "$(saved new)"
absent new
dumped new --non-mmap -d 31 kinds new
same_dump new want
rm new

# --- what goes together

refused "-E cannot be combined with -c, -l, -p or -z: an ELF core is not compressed" -E -c kinds new
refused "--num-threads cannot be combined with -E" -E --num-threads 2 kinds new
refused "--num-threads cannot be combined with --split" --split --num-threads 2 kinds new other
refused "-E cannot be combined with --split" --split -E kinds new other
refused "unknown option '--frob'" --frob kinds new
refused "unknown option '-q'" -q kinds new
refused "the name of VMCORE is missing"
refused "the name of DUMPFILE is missing" kinds
refused "unexpected operand 'other'" kinds new other
refused "the name of a second DUMPFILE, which --split requires, is missing" --split kinds new
refused "the name of LOGFILE is missing" --dump-dmesg kinds
refused "--split cannot be combined with --dump-dmesg" --dump-dmesg --split kinds new other
refused "-L: '10X' is not a size$size_rule" -L 10X kinds new
refused "-L 0 is out of range; use 1 to 9223372036854775807" -L 0 kinds new

# --- the name

expect_status 0 nsplit --as-makedumpfile -d 31 kinds new
told ""
expect_out "$(saved new)"
same_dump new want
rm new
ln -s "$builddir/nsplit" bin/other
expect_status 0 other -q kinds new
closed new
rm new
expect_usage nsplit "unknown option '--as-makedumpfile'" -q --as-makedumpfile kinds new
