#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A slip on the command line replaces no core, dump or member, and a side file replaces only what its option has written.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

make_core kinds
mv kinds vmcore
nsplit -q -c vmcore member
nsplit -q -c --format=kdump vmcore dump
nsplit -q -c --format=kdump vmcore - > flat
njoin -q -o elf member
# The first and the second byte of a member: its superblock is lost, but not what --salvage finds.
cp member damaged
printf 'xx' | dd of=damaged conv=notrunc status=none
mkdir kept
cp vmcore member dump flat elf damaged kept

# unchanged WHAT: every byte of all of them is in place
unchanged() {
	for unchanged_file in vmcore member dump flat elf damaged; do
		cmp "$unchanged_file" "kept/$unchanged_file" || fail "$1: $unchanged_file was written to"
	done
}

files() {
	find . ! -name err ! -name out | sort
}

# refused PROGRAM MESSAGE ARGUMENT...: refused with this message, and nothing is written
refused() {
	refused_program=$1
	refused_message=$2
	shift 2
	refused_before=$(files)
	expect_status 2 "$refused_program" "$@"
	expect_err "$refused_program: $refused_message"
	unchanged "$refused_program $*"
	[ "$(files)" = "$refused_before" ] ||
		fail "$refused_program $*: a file was created or removed"
}

source_of='not the memory of a machine; njoin -o FILE MEMBER... restores the source of it, and SOURCE comes before the OUTPUTs'

# The three slips: a flag of others that takes a value here, an option that takes none here, a dash that was forgotten.
echo a > a
: > c
for core in vmcore dump flat elf member damaged; do
	case $core in
	vmcore | elf) kind='a core' ;;
	dump | flat) kind='a dump' ;;
	*) kind='a member' ;;
	esac
	only="is $kind; only a file that --stats has written is replaced"
	refused nsplit "--stats=$core: $only" -c --stats "$core" a b
	refused nsplit "--stats=$core: $only" -c -f --stats "$core" a b
	refused nsplit "--stats=$core: $only" -c --overwrite-dumps --stats "$core" a b
	refused nsplit "member: is a member, $source_of" -czf member "$core"
	refused nsplit "damaged: is a member, $source_of" -czf damaged "$core"
	refused nsplit "member: is a member, $source_of" -czf member --stats=figures new "$core"
	case $kind in
	'a core') message="is a core; SOURCE comes before the OUTPUTs, and 'c' is the SOURCE here" ;;
	*) message="is $kind; use --overwrite-dumps to overwrite it" ;;
	esac
	refused nsplit "$core: $message" -f c "$core" out
	refused nsplit "$core: $message" c "$core" out
	refused nsplit "$core: $message" -f --format=kdump -c c "$core"
	refused nsplit "$core: $message" -f '--filter=cat > "$FILE"' c "$core"
	refused njoin "$core: is $kind; use --overwrite-dumps to overwrite it" -f -o "$core" kept/member
	refused njoin "$core: is $kind; use --overwrite-dumps to overwrite it" -f --format=kdump -o "$core" kept/member
	refused njoin "$core: is $kind; use --overwrite-dumps to overwrite it" -f --dmesg -o "$core" kept/member
	refused mkfakevmcore "$core: is $kind; use --overwrite-dumps to overwrite it" -f "$core"
	refused nsplit-bench "$core: is $kind; use --overwrite-dumps to overwrite it" -q -f fake:1M "$core"
	refused nsplit-bench "--json=$core: is $kind; only a file that --json has written is replaced" -q \
		"--json=$core" fake:1M null:
	refused nsplit-bench "$core: is $kind; use --overwrite-dumps to overwrite it" -q -f "--join-to=$core" fake:1M new
done

# With another core as the source, there is nothing to say about the order.
cp vmcore other
refused nsplit 'vmcore: is a core; use --overwrite-dumps to overwrite it' -f other vmcore
refused nsplit 'vmcore: is a core; use --overwrite-dumps to overwrite it' other new vmcore
# Other programs' dumps, and files of gzip, bzip2, xz, zstd (also of pzstd), lz4 (two forms), lzop, lzip, compress, zip, 7z.
for magic in 'EMiL\001\000\000\000' PAGEDUMP PAGEDU64 '\037\213\010' BZh9 '\3757zXZ\000' '\050\265\057\375' \
	'\120\052\115\030' '\004\042\115\030' '\002\041\114\030' '\211LZO\000\015\012\032\012' LZIP '\037\235' \
	'PK\003\004' '7z\274\257\047\034'; do
	# shellcheck disable=SC2059 # it has no other directives
	printf "$magic" > theirs
	cat other >> theirs
	cp theirs before
	case $magic in
	EMiL* | PAGE*) kind='a dump' ;;
	*) kind='a compressed file, perhaps a core' ;;
	esac
	for command in "nsplit -q -f other" "njoin -q -f -o theirs member" "njoin -q -f --dmesg -o theirs member" \
		"mkfakevmcore -f" "nsplit-bench -q -f fake:1M" "nsplit -q --format=kdump -f other"; do
		output=theirs
		case $command in
		njoin*) output= ;;
		esac
		# shellcheck disable=SC2086 # words
		expect_status 2 $command $output
		expect_err "${command%% *}: theirs: is $kind; use --overwrite-dumps to overwrite it"
		same theirs before
	done
	expect_status 2 nsplit -q --stats=theirs other new
	expect_err "nsplit: --stats=theirs: is $kind; only a file that --stats has written is replaced"
	same theirs before
	expect_status 0 nsplit -q --overwrite-dumps other theirs
	rm theirs before
done
# As an additional output, it is left out, and the capture goes on.
expect_status 0 nsplit -q -f --also=vmcore other new
expect_err 'nsplit: vmcore: is a core; use --overwrite-dumps to overwrite it; continuing without it'
unchanged --also
rm new

# A digest replaces a digest, and nothing else.
expect_status 0 nsplit -q -c --format=kdump --digest other new
expect_status 0 nsplit -q -c --format=kdump --digest --overwrite-dumps other new
expect_err ""
cp vmcore new.sha256
expect_status 0 nsplit -q -c --format=kdump --digest --overwrite-dumps other new
sum=$(sha256sum new)
expect_err "nsplit: new.sha256: is another file; only a file that --digest has written is replaced; the SHA-256 of new is ${sum%% *}"
same new.sha256 vmcore
rm new new.sha256

# Statistics replace statistics and empty files, and are for their owner only.
umask 0
: > figures
for i in 1 2; do
	expect_status 0 nsplit -q --stats=figures other m$i
	grep -q '"outcome": "perfect"' figures || fail "no statistics: $(cat figures)"
	[ "$(stat -c %a figures)" = 600 ] || fail "mode $(stat -c %a figures)"
done
umask 022
echo '{ "version": 1, "name": "mine" }' > mine
cp mine mine.kept
expect_status 2 nsplit -q --stats=mine other m3
expect_err 'nsplit: --stats=mine: is another file; only a file that --stats has written is replaced'
same mine mine.kept
absent m3
expect_status 0 nsplit -q --stats=/dev/stdout other m3
grep -q '"outcome": "perfect"' out || fail "no statistics: $(cat out)"
rm m1 m2 m3

# The report of nsplit-bench replaces its own.
for i in 1 2; do
	expect_status 0 nsplit-bench -q -j1 --codecs=raw --rounds=1 --warmup=0 --json=r.json fake:1M null:
done
[ "$(stat -c %a r.json)" = 600 ] || fail "mode $(stat -c %a r.json)"
echo mine > r.json
expect_status 2 nsplit-bench -q -j1 --codecs=raw --rounds=1 --json=r.json fake:1M null:
expect_err "nsplit-bench: --json=r.json: is another file; only a file that --json has written is replaced"
[ "$(cat r.json)" = mine ] || fail "--json has replaced another file"

# Under the name makedumpfile, -f replaces the dump before, as in the original, but no core that may be the source.
ln -s "$(command -v nsplit)" makedumpfile
PATH=$PWD:$PATH
copy() {
	rm -f again
	cp "$1" again
}
for old in dump flat member; do
	copy $old
	expect_status 0 makedumpfile -f -d 31 -c --message-level 0 other again
	copy $old
	expect_status 0 makedumpfile -f -R again < flat
done
copy other
expect_status 0 makedumpfile -f -E -d 31 --message-level 0 other again
# kept_core COMMAND...: is refused, and the core stays
kept_core() {
	copy other
	expect_status 1 "$@"
	grep -qx 'makedumpfile: again: is a core, which -f does not overwrite.*; VMCORE comes before it; remove it to use the name' err ||
		fail "$*: $(cat err)"
	same again other
}
kept_core makedumpfile -f -d 31 -c dump again
kept_core makedumpfile -f -d 31 -c c again
kept_core makedumpfile -f -d 31 --split -c dump new again
kept_core makedumpfile -f --dump-dmesg c again
kept_core sh -c 'makedumpfile -f -R again < flat'
# Nor a file of a general compressor, which scripts make of what they read from a pipe.
gzip -c < other > packed
for job in "-d 31 -c other" "-E -d 31 other" "--dump-dmesg other"; do
	copy packed
	# shellcheck disable=SC2086 # words
	expect_status 1 makedumpfile -f $job again
	grep -q '^makedumpfile: again: is a compressed file, perhaps a core, which -f does not overwrite' err ||
		fail "$job: $(cat err)"
	same again packed
done
expect_status 0 nsplit -q -d 31 other '|gzip > packed'
expect_status 0 nsplit -q -d 31 other '|gzip > packed'
copy dump
expect_status 1 makedumpfile -f --dump-dmesg other again
expect_err_begins() { head -n 1 err | grep -qxF "$1" || fail "$(cat err)"; }
expect_err_begins 'makedumpfile: again: is a dump, which -f does not overwrite with a log; VMCORE comes before it; remove it to use the name'
same again dump

# With the word, they are replaced.
for old in vmcore dump flat member; do
	copy $old
	expect_status 0 nsplit -q --overwrite-dumps other again
	expect_status 0 njoin -q --verify again
	copy $old
	expect_status 0 njoin -q --overwrite-dumps -o again member
	same again vmcore
	copy $old
	expect_status 0 mkfakevmcore --overwrite-dumps again
	expect_status 0 mkfakevmcore --check again
done
# No word allows the source or a member of the set.
refused nsplit 'vmcore: is the source' --overwrite-dumps vmcore vmcore
refused njoin 'member: is a member of the set; nothing was written; choose another output' --overwrite-dumps -o member member
refused njoin 'member: is a member of the set; nothing was written; choose another output' -o member member
expect_status 0 nsplit -q --overwrite-dumps --no-force other b
expect_status 2 nsplit -q --no-force other b
expect_err 'nsplit: b: is a member; use --overwrite-dumps to overwrite it'
