#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An unknown option is reported with the nearest known one, or, if other programs have it, with what
# to use here.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# unknown PROGRAM OPTION TEXT: the option is refused with this text after its name; of a letter, what
# follows it is its value, or further letters
unknown() {
	case $2 in
	-1*) refused=$2 ;;
	-[Tdp]*) refused=${2%"${2#-?}"} ;;
	*) refused=${2%%=*} ;;
	esac
	expect_usage "$1" "unknown option '$refused'$3" "$2" core new
	absent new
}

echo data > core
# Options of the other programs; --list is not taken for --list-codecs.
for name in verify info list dmesg; do
	unknown nsplit --$name "$(case $name in
	verify) echo ': use njoin --verify MEMBER... to check what was captured' ;;
	info) echo ': use njoin --info MEMBER... to describe the members' ;;
	list) echo ': use njoin --list MEMBER... to describe the core; --list-codecs prints the codecs' ;;
	dmesg) echo ': use njoin --dmesg MEMBER..., or njoin --dmesg CORE' ;;
	esac)"
done
expect_status 0 nsplit --list-c
unknown nsplit --join ': use njoin -o FILE MEMBER... to restore the source'
unknown njoin --reassemble ': use -o FILE, and name all MEMBERs, or all files of a split dump'
unknown nsplit --frob ''
unknown nsplit --lzop "; do you mean '--lzo'?"
unknown nsplit --lzop=3 "; do you mean '--lzo'?"
unknown nsplit --memlimit=1G "; do you mean '--mem-limit'?"
unknown nsplit --noforce "; do you mean '--no-force'?"
unknown nsplit -lzo "; do you mean '--lzo'?"
unknown nsplit -J "; do you mean '-j'?"
unknown nsplit --output=a ": there is no option for outputs; name them after the SOURCE"
unknown njoin --verfy "; do you mean '--verify'?"
unknown njoin --message-level=1 ": use -q to print less, -v to print more, and --progress=never for no progress"
unknown nsplit-bench --codec-s "; do you mean '--codecs'?"
unknown njoin -19 ": njoin compresses only pages for --format=kdump; use --compress=NAME:LEVEL, as in --compress=zstd:19"
unknown nsplit -19 ": use -C NAME:LEVEL for a level, as in -C zstd:19"
unknown nsplit --num_threads=3 ": use -j N for N threads; the default is one for each CPU"
unknown nsplit --numthreads ": use -j N for N threads; the default is one for each CPU"
unknown njoin --check ": use --verify"
unknown njoin -R ": no option is needed; -o FILE makes a plain file of a flattened dump"
unknown nsplit -R ": use njoin -o FILE, which reads members and flattened dumps"
[ ! -x "${builddir:?}/nsplit-mount" ] ||
	unknown nsplit-mount --message-level=1 ": use -q to print less, and -v to print more"
expect_usage nsplit "unknown option '-F': use --format=kdump with the OUTPUT - or '|COMMAND', which receives the flattened format" \
	-cF core new
expect_usage nsplit "unknown option '-T': use -j N for N threads; the default is one for each CPU" -T0 core new
expect_usage nsplit "option '--no' is ambiguous: --no-stripe, --no-digest, --no-force, --no-any-owner, --no-config, --no-quiet, --no-verbose" \
	--no core new
# Operands of dd, sizes in two words, and a size in place of an option.  A file can have such a name.
dd="dd has such operands; here, the first operand is the SOURCE, and the others are OUTPUTs, without 'if=' and 'of='"
expect_usage nsplit "operand 'if=core': $dd" if=core of=new
expect_usage nsplit "operand 'of=new': $dd" core of=new
expect_usage njoin "operand 'of=new': dd has such operands; here, use -o FILE" --verify core of=new
expect_usage nsplit "'64 MB': a size has no space before its unit; use 64MB" --mem-limit=64 MB core new
expect_usage nsplit "'64 K': a size has no space before its unit; use 64K" -b 64 K core new
expect_usage nsplit "--mem-limit: '64 MB': a size has no space before its unit; use 64MB" '--mem-limit=64 MB' core new
expect_usage mkfakevmcore "'1 GiB': a size has no space before its unit; use 1GiB" -s 1 GiB new
expect_usage mkfakevmcore "'1G': FILE is the only operand; use --size=1G" 1G new
expect_usage mkfakevmcore "'1G': FILE is the only operand; use --size=1G" new 1G
expect_usage nsplit "nul:: is no kind of output; use null: to discard all data, or ./nul: for a file" core nul:
absent new nul: of=new
expect_status 0 nsplit -q core ./nul: ./of=new
closed nul: of=new
rm nul: of=new
# Without -, a pipe is not read.
echo data | expect_usage nsplit "no OUTPUT given: 'new' is the SOURCE; to read standard input, write - before it" -c new
if [ -x "$builddir/nsplit-mount" ]; then
	cp core member
	expect_usage nsplit-mount "no MOUNTPOINT given: 'member' is a file; the last operand must be a directory, such as mnt after 'mkdir mnt'" core member
fi
# getopt_long() finds an empty word ambiguous.
expect_usage nsplit "unknown option '--=x'" --=x core new
expect_usage nsplit "option '--zstd' takes no value: use -C NAME:LEVEL for a level, as in -C zstd:19" \
	--zstd=3 core new
# The value was forgotten.
expect_usage nsplit-bench "option '--join-to' needs a value: --join-to=FILE; '--json' is an option" \
	--join-to --json fake:1M null:
expect_usage nsplit "option '--stats' needs a value: --stats=FILE; '--st' is an option" --stats --st core new
absent --st
expect_usage nsplit "option '--force' takes no value" --force=yes core new

# A program must not accept any option of its table of other programs' options; with "=", their value.
tested=0
for program in nsplit njoin mount; do
	sed -n "/ foreign_to_$program\\[\\]/,/^};/p" "$srcdir/src/cmd/common/common_options.c" |
		grep -o '{ "[^"]*"' | sed 's/{ "\(.*\)"/\1/' > options
	[ -s options ] || fail "no options of other programs for $program"
	[ "$program" != mount ] || program=nsplit-mount
	[ -x "$builddir/$program" ] || continue
	while read -r option; do
		case $option in
		if= | of=) text="operand '${option}3': " option=${option}3 ;;
		?) text="unknown option '-$option': " option=-$option ;;
		*=) text="option '--${option%=}' takes no value: " option=--${option}3 ;;
		*) text="unknown option '--$option': " option=--$option ;;
		esac
		expect_status 2 "$program" "$option"
		grep -qF "$program: $text" err || fail "$program $option: $(cat err)"
		tested=$((tested + 1))
	done < options
done
[ $tested -gt 80 ] || fail "only $tested options of other programs"
