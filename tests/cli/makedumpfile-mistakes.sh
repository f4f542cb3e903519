#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the capture kernel, no mistake on the command line or in nsplit.conf costs the dump, nor do a full disk, a reader
# that dies, or too little memory: what there is can be read, or the original program takes over.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"
need python3
need_there
need_no_original

make_core kinds
make_core log
make_original
have_codec zlib || skip "this build has no zlib"
for level in 0 1 31; do
	expect_status 0 nsplit -q -d $level --format=kdump kinds want.$level
done
expect_status 0 nsplit -q -d 31 --format=elf kinds want.elf
expect_status 0 nsplit -q --format=elf kinds want.elf.0
mkdir d
new=$PWD/d/new
NSPLIT_CONFIG=$PWD/conf
export NSPLIT_CONFIG
: > conf

# crashed STATUS ARGUMENT...: makedumpfile in the capture kernel; its file is d/new
crashed() {
	crashed=$1
	shift
	rm -f d/*
	expect_status "$crashed" there makedumpfile "$@"
}

# ignored WORD...: these were reported as ignored, each with something behind it, and nothing else
ignored() {
	sed "/^makedumpfile: [0-9.]* [KMG]*i*B captured in /d; /^makedumpfile:   /d; /^makedumpfile: *[0-9.]* %, /d" err > told
	for word; do
		grep -q "^makedumpfile: ignored: .*$word" told || fail "no word about $word: $(cat told)"
	done
	[ "$(grep -c '^makedumpfile: ignored: ' told)" -eq $# ] || fail "other words: $(cat told)"
	! grep -v '^makedumpfile: ignored: ' told || fail "other words: $(cat told)"
}

# is CODEC LEVEL: this is what was written, and nothing else
is() {
	expect_out "$(saved "$new")"
	[ "$(ls d)" = new ] || fail "what is there: $(ls d)"
	expect_status 0 njoin --info d/new
	grep -qx "dump: kdump-compressed, version 6, $1, level $2" out || fail "not $1, level $2: $(cat out)"
	same_dump d/new "want.$2"
}

# makes CODEC LEVEL ARGUMENT...: /proc/vmcore and d/new are among the arguments
makes() {
	made=$1 level=$2
	shift 2
	crashed 0 "$@"
	cp err err.crashed
	is "$made" "$level"
	mv err.crashed err
}

# --- options

core=kinds
makes zlib 31 -c -d 31 /proc/vmcore "$new"
told ""

makes zlib 31 --frob -c -d 31 /proc/vmcore "$new"
ignored "unknown option '--frob'"
makes zlib 31 --frob=x -c -d 31 /proc/vmcore "$new"
ignored "unknown option '--frob'"
makes zlib 31 -c -d 31 --frob x /proc/vmcore "$new"
ignored "unknown option '--frob'" "'x' is not used as an output"
makes zlib 31 -c /proc/vmcore "$new" -q -d 31
ignored "unknown option '-q'"
makes zlib 0 -ck /proc/vmcore "$new"
ignored "unknown option '-k'"

makes zlib 0 -c -d 99 /proc/vmcore "$new"
ignored "-d: '99' is not a dump level" "'99' is not used as an output"
makes zlib 0 -c -d /proc/vmcore "$new"
ignored "option '-d' needs a value; '/proc/vmcore' is the source"
makes zlib 0 -c /proc/vmcore "$new" -d
ignored "option '-d' needs a value"
makes zlib 31 -c --message-level 99 -d 31 /proc/vmcore "$new"
ignored "--message-level: '99' is not a number" "'99' is not used as an output"
makes zlib 31 -c -d 31 --message-level /proc/vmcore "$new"
ignored "option '--message-level' needs a value; '/proc/vmcore' is the source"
makes zlib 31 -c -L 10Q -d 31 /proc/vmcore "$new"
ignored "-L: '10Q' is not a size" "'10Q' is not used as an output"
makes zlib 31 -c -L 0 -d 31 /proc/vmcore "$new"
ignored "-L 0 is out of range" "'0' is not used as an output"
makes zlib 31 -c --num-threads many -d 31 /proc/vmcore "$new"
told ""
makes zlib 0 -c --num-threads -d 31 /proc/vmcore "$new"
ignored "'31' is not used as an output"

# --- options and names that do not go together

# elf WANT ARGUMENT...: likewise, an ELF core
elf() {
	want=$1
	shift
	crashed 0 "$@"
	expect_out "$(saved "$new")"
	[ "$(ls d)" = new ] || fail "what is there: $(ls d)"
	same d/new "$want"
}

elf want.elf -E -c -d 31 /proc/vmcore "$new"
ignored "-E cannot be combined with -c"
elf want.elf -E --num-threads 2 -d 31 /proc/vmcore "$new"
ignored "--num-threads cannot be combined with -E"
elf want.elf.0 -E --split /proc/vmcore "$new"
ignored "-E cannot be combined with --split"
makes zlib 31 --split -c -d 31 /proc/vmcore "$new"
ignored "--split requires more than one DUMPFILE"
makes zlib 31 -c -d 31 /proc/vmcore "$new" "$new.other"
ignored "unexpected operand '$new.other'"
makes zlib 31 -c -x vmlinux -i vmcoreinfo -d 31 /proc/vmcore "$new"
ignored "-x cannot be combined with -i" "-x: VMCORE describes" "-i: VMCORE describes"
makes zlib 31 -c -e -d 31 /proc/vmcore "$new"
ignored "-e requires --work-dir" "-e: the memory map is kept"
makes zlib 31 -c --partial-dmesg -d 31 /proc/vmcore "$new"
ignored "--partial-dmesg requires --dump-dmesg"
makes zlib 31 -c -R -d 31 /proc/vmcore "$new"
ignored "-R cannot be combined with"
makes zlib 0 -c -R /proc/vmcore "$new"
ignored "-R cannot be combined with"
makes raw 0 -R /proc/vmcore "$new"
ignored "unexpected operand '$new'"
makes zlib 31 -c --reassemble -d 31 /proc/vmcore "$new"
ignored "--reassemble cannot be combined with"

# flat WANT WORD ARGUMENT...: the dump is on standard output
flat() {
	want=$1 word=$2
	shift 2
	crashed 0 "$@"
	same_dump out "$want"
	[ -z "$(ls -A d)" ] || fail "what is there: $(ls d)"
	grep -q "^makedumpfile: ignored: .*$word" err || fail "no word about $word: $(cat err)"
	grep -qx 'makedumpfile Completed.' err || fail "$(cat err)"
}

flat want.31 "-F cannot be combined with --split" -F --split -c -d 31 /proc/vmcore
flat want.31 "unexpected operand '$new'" -F -c -d 31 /proc/vmcore "$new"

# The disks may be too small for one file.
crashed 0 --split --num-threads 2 -c -d 31 /proc/vmcore "$new" "$new.other"
sed -i '/^makedumpfile: left out: /d; /^makedumpfile: exported /d' err
ignored "--num-threads cannot be combined with --split"
expect_status 0 makedumpfile --reassemble d/new d/new.other whole
python3 -B "$srcdir/tests/cli/kdump-compare.py" whole want.31 > lib.pages 2>&1 || fail "--split: $(cat lib.pages)"
# njoin keeps a page of offline memory that nsplit leaves out.
[ "$(cat lib.pages)" = "both 5999, first 1, second 0" ] || fail "--split: $(cat lib.pages)"
makes zlib 31 --split --num-threads 2 -c -d 31 /proc/vmcore "$new"
ignored "--num-threads cannot be combined with --split" "--split requires more than one DUMPFILE"

core=ring
crashed 0 --dump-dmesg --dry-run /proc/vmcore "$new" other
ignored "--dry-run cannot be combined with --dump-dmesg" "'other' is not used as an output\|unexpected operand 'other'"
expect_status 0 njoin --dmesg ring
same d/new out
core=kinds

# Nobody can know which name was meant.
crashed 1 -c -d 31 /proc/vmcore
told "makedumpfile: the name of DUMPFILE is missing"
expect_out "$invalid"
# An option that erases data is never skipped.
for place in first last; do
	[ $place = first ] && set -- --config /proc/vmcore "$new" || set -- -c /proc/vmcore "$new" --config
	crashed 0 "$@"
	grep -q "^makedumpfile: --config: .*; $original takes over$" err || fail "$(cat err)"
	expect_out "original: $*"
done
crashed 0 --frob --config filter -c /proc/vmcore "$new"
grep -q "^makedumpfile: --config: .*; $original takes over$" err || fail "$(cat err)"
expect_out "original: --frob --config filter -c /proc/vmcore $new"

# --- nsplit.conf

# conf LINE...: the file
conf() {
	printf '%s\n' "$@" > conf
}

conf 'thread = 3' 'threads = 1'
makes zlib 31 -c -d 31 /proc/vmcore "$new"
ignored "conf:1: unknown key 'thread'"
conf threads 'mem-limit = much' 'compress = lz5' 'direct = perhaps'
makes zlib 31 -c -d 31 /proc/vmcore "$new"
ignored "conf:1: 'threads' is not of the form" "conf:2: mem-limit: 'much' is not a size" "conf:3: unknown codec 'lz5'" \
	"conf:4: direct"
conf 'compress = lz4'
makes raw 31 -d 31 /proc/vmcore "$new"
if have_codec lz4; then
	told "makedumpfile: $PWD/conf: compress: the dump cannot have the codec lz4; pages are not compressed"
else
	ignored "conf:1: .*lz4"
fi
for file in /proc/vmcore "$new"; do
	conf "stats = $file"
	makes zlib 31 -c -d 31 /proc/vmcore "$new"
	ignored "--stats=$file"
done
conf 'mem-limit = 1M'
makes zlib 31 -c -d 31 /proc/vmcore "$new"
ignored "--mem-limit=1048576 is too small"
head -c 10000 kinds > conf
makes zlib 31 -c -d 31 /proc/vmcore "$new"
grep -q "^makedumpfile: ignored: $PWD/conf" err || fail "a file that is not text: $(cat err)"
rm conf
makes zlib 31 -c -d 31 /proc/vmcore "$new"
ignored "$PWD/conf: No such file or directory"
mkdir conf
makes zlib 31 -c -d 31 /proc/vmcore "$new"
ignored "$PWD/conf: is not a regular file"
rmdir conf
: > conf

# --- codecs that this build does not have

for pair in lzo:-l snappy:-p zstd:-z; do
	codec=${pair%:*} option=${pair#*:}
	if have_codec "$codec"; then
		continue
	fi
	makes raw 31 "$option" -d 31 /proc/vmcore "$new"
	told_lines=$(grep -c '; pages are not compressed$' err) || :
	[ "$told_lines" -eq 1 ] || fail "$option: $(cat err)"
done

# --- the disk

# part LEVEL: d/new has some pages of this dump, and says that it is incomplete
part() {
	python3 -B "$srcdir/tests/cli/kdump-pages.py" d/new "want.$1" some > lib.pages 2>&1 || fail "$(cat lib.pages)"
	expect_status 3 njoin --info d/new
	grep -q ", level $1, marked as incomplete\$" out || fail "$(cat out)"
	expect_status 3 njoin -q --overwrite-dumps --format=elf -o copy d/new
	[ -s copy ] || fail "nothing can be read"
}

crashed 1 -L 20000000 -d 31 /proc/vmcore "$new"
expect_out "$failed"
grep -q ': saved: .*; the limit of 19.1 MiB is reached$' err || fail "$(cat err)"
part 31
crashed 0 -L 26000000 -d 1,31 /proc/vmcore "$new"
expect_out "Retry to create a dumpfile by dump_level(31).
$(saved "$new")"
same_dump d/new want.31
# A directory that is not there.
crashed 1 -c /proc/vmcore "$PWD/nowhere/new"
told "makedumpfile: $PWD/nowhere/new: the directory $PWD/nowhere does not exist; given up
makedumpfile: nothing was captured: every output failed"

# --- the reader

rm -f d/*
(
	status=0
	there makedumpfile -F /proc/vmcore 2> err || status=$?
	echo $status > status
) | head -c 100000 > piped
[ "$(cat status)" -eq 1 ] || fail "a reader that dies: status $(cat status)"
# It depends on the size of the pipe whether anything was sent before.
sed -i '/^makedumpfile: nothing was captured/d; /^makedumpfile: the dump is cut off/d' err
told "makedumpfile: standard output: Broken pipe; given up
$failed"
[ "$(wc -c < piped)" -eq 100000 ] || fail "it has read $(wc -c < piped) bytes"

# --- what is no kernel's core

for core in bare class; do
	crashed 0 -c -d 31 /proc/vmcore "$new"
	expect_out "original: -c -d 31 /proc/vmcore $new"
	mv bin/makedumpfile.distrib other
	crashed 1 -c -d 31 /proc/vmcore "$new"
	grep -q '; a member is written instead of a dump in the kdump-compressed form; njoin reads it$' err ||
		fail "$core: $(cat err)"
	expect_out "$failed"
	closed d/new
	expect_status 0 njoin -q --overwrite-dumps -o copy d/new
	same copy "$core"
	crashed 1 -F -c -d 31 /proc/vmcore
	grep -qx 'makedumpfile Failed.' err || fail "$core: $(cat err)"
	mv out piped
	closed piped
	expect_status 0 njoin -q --overwrite-dumps -o copy - < piped
	same copy "$core"
	mv other bin/makedumpfile.distrib
done

# A core that was cut short looks like a whole one, but its dump must not.
head -c 20000000 kinds > short
core=short
crashed 1 -c /proc/vmcore "$new"
told "makedumpfile: /proc/vmcore: cut short: it ends at byte 20000000, but its segments at byte 34152448; missing: 3440 \
pages of 4096 bytes"
expect_out "$failed"
python3 -B "$srcdir/tests/cli/kdump-compare.py" d/new want.0 > lib.pages 2>&1 || fail "$(cat lib.pages)"
[ "$(cat lib.pages)" = "both 4880, first 0, second 3440" ] || fail "a core that was cut: $(cat lib.pages)"
expect_status 3 njoin --info d/new
grep -q ', level 0, marked as incomplete$' out || fail "a core that was cut: $(cat out)"
core=kinds

# --- memory: a dump with more pages, or with another codec, or the original program takes over

if prlimit --as=1000000000 makedumpfile -v > version 2> err; then
	mebibytes=8
	until prlimit --as=$((mebibytes << 20)) makedumpfile -v > version 2> err; do
		mebibytes=$((mebibytes + 1))
	done
	for more in 0 1 2 3 4 6 8 12 16; do
		rm -f d/*
		expect_status 0 there prlimit --as=$(((mebibytes + more) << 20)) makedumpfile -c -d 31 /proc/vmcore "$new"
		if grep -qx "original: -c -d 31 /proc/vmcore $new" out; then
			grep -q "; $original takes over\$" err || fail "$(cat err)"
			absent d/new
			continue
		fi
		expect_out "$(saved "$new")"
		expect_status 0 njoin --info d/new
		if grep -q ', level 31$' out; then
			want=want.31
		else
			want=want.1
		fi
		expect_status 0 njoin -q --overwrite-dumps --format=elf -o copy d/new
		expect_status 0 njoin -q --overwrite-dumps --format=elf -o memory $want
		same copy memory
	done
fi

# --- calls that fail

need_inject nsplit

# failing RULES STATUS ARGUMENT...: likewise, with calls that fail
failing() {
	rules=$1 crashed=$2
	shift 2
	rm -f d/*
	expect_status "$crashed" there env INJECT="$rules" INJECT_LOG=log LD_PRELOAD="$inject" \
		ASAN_OPTIONS=verify_asan_link_order=0 makedumpfile "$@"
}

failing open:conf:1-:EACCES 0 -c -d 31 /proc/vmcore "$new"
cp err err.conf
is zlib 31
cp err.conf err
ignored "$PWD/conf: Permission denied"
full=pwrite:new:@26000000-99000000:ENOSPC
failing $full 0 -d 1,31 /proc/vmcore "$new"
expect_out "Retry to create a dumpfile by dump_level(31).
$(saved "$new")"
same_dump d/new want.31
failing $full 1 -d 1 /proc/vmcore "$new"
expect_out "$failed"
grep -q ': No space left on device; .* kept$' err || fail "$(cat err)"
part 1
# It is killed before the first byte of the dump.
failing pread:vmcore:@4096-34000000:SIGKILL 0 -c -d 31 /proc/vmcore "$new"
grep -q "nsplit was ended by signal 9.*; $original takes over\$" err || fail "$(cat err)"
expect_out "original: -c -d 31 /proc/vmcore $new"
