#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of DUMPFILE and VMCORE: all are those of files, also where nsplit or njoin would take them for something else;
# and what cannot be written, or must not be, is left as it is.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"
need python3

make_core kinds
make_core log
python3 -B "$srcdir/tests/readers/core.py" core
expect_status 0 nsplit -q --format=kdump core want
expect_status 0 makedumpfile core dump
expect_status 0 njoin -q --dmesg -o text ring
expect_status 0 makedumpfile --split core part.0 part.1
mkdir d sub

# holds FILE WANT: the directory d has this file only, which holds WANT
holds() {
	[ "$(ls -A d)" = "$1" ] || fail "$1: in its place: $(ls -A d)"
	case $2 in
	text) same "d/$1" text ;;
	*) same_dump "d/$1" "$2" ;;
	esac
	rm "d/$1"
}

# in_d COMMAND...
in_d() {
	(cd d && exec "$@")
}

# shellcheck disable=SC2016 # it is no variable
for name in - '|cat > x' 'null:' 'a b' @x 'x,y' 'a{1..2}' '%F' -x '~' '*' '$x' 'fake:1M' "$(printf '\303\244')"; do
	file=$name
	[ "$name" != - ] || file=./-
	expect_status 0 in_d makedumpfile ../core -- "$name"
	told ""
	expect_out "$(saved "$name")"
	holds "$name" want
	# The same for what is done as by njoin.
	case $name in
	[-\|n]*) ;;
	*) continue ;;
	esac
	expect_status 0 in_d makedumpfile -- ../dump "$name"
	told ""
	expect_out "$(saved "$name")"
	holds "$name" want
	expect_status 0 in_d makedumpfile --dump-dmesg ../ring -- "$name"
	told ""
	expect_out "
The dmesg log is saved to $name.

makedumpfile Completed."
	holds "$name" text
	expect_status 0 in_d makedumpfile -R -- "$name" < dump
	told ""
	holds "$name" want
	expect_status 0 in_d makedumpfile --reassemble ../part.1 ../part.0 -- "$name"
	told ""
	holds "$name" want
	expect_status 0 in_d makedumpfile --split ../dump -- "$name" ../other
	told ""
	expect_status 0 makedumpfile --reassemble "./d/$name" other d/joined
	rm "d/$name" other
	holds joined want

	# And for VMCORE.
	for source in core dump; do
		cp $source "d/$name"
		expect_status 0 in_d makedumpfile -- "$name" ../new
		told ""
		same_dump new want
		rm new "d/$name"
	done
	expect_status 1 in_d makedumpfile -- "$name" new < core
	told "makedumpfile: $file: No such file or directory"
	[ -z "$(ls -A d)" ] || fail "$name: made: $(ls -A d)"
	echo precious > "d/$name"
	expect_status 1 in_d makedumpfile -- ../core "$name"
	expect_err "makedumpfile: $file: exists; use -f to overwrite it"
	[ "$(cat "d/$name")" = precious ] || fail "$name: was changed"
	rm "d/$name"
done

# --- what cannot be written

# not_written TEXT ARGUMENT...: it is reported
not_written() {
	text=$1
	shift
	expect_status 1 makedumpfile "$@"
	told "$text"
	expect_out "$failed"
}

echo precious > target
ln -s target tolink
ln -s nothing dangling
ln core hard
ln -s core soft
ln dump dump.hard
ln -s dump dump.soft
cp core core.before
cp dump dump.before
all="makedumpfile: nothing was captured: every output failed"

not_written "makedumpfile: nowhere/new: the directory nowhere does not exist; given up
$all" core nowhere/new
not_written "makedumpfile: nowhere/new: the directory nowhere does not exist" dump nowhere/new
not_written "makedumpfile: nowhere/new: the directory nowhere does not exist" --split core new nowhere/new
not_written "makedumpfile: nowhere/new: the directory nowhere does not exist" --dump-dmesg ring nowhere/new
absent nowhere new
not_written "makedumpfile: sub: exists; use -f to overwrite it" core sub
not_written "makedumpfile: sub: is a directory; an output must be a file or a device" -f core sub
not_written "makedumpfile: sub: is a directory; an output must be a file or a device" -f dump sub
not_written "makedumpfile: sub: is a directory; an output must be a file or a device" -f --dump-dmesg ring sub
not_written "makedumpfile: sub: is a directory; an output must be a file or a device" -f --split core new sub
[ -z "$(ls -A sub)" ] || fail "in sub: $(ls -A sub)"
absent new
for source in core dump; do
	expect_status 1 makedumpfile $source new/
	expect_out "$failed"
	expect_status 1 makedumpfile $source ""
	expect_out "$failed"
	expect_status 1 makedumpfile "" new
	expect_err "makedumpfile: : No such file or directory"
	absent new
done

# A link is followed to what there is; where there is nothing, somebody may have wanted another disk.
for source in core dump; do
	not_written "makedumpfile: dangling: is a dangling symbolic link" $source dangling
	not_written "makedumpfile: dangling: is a dangling symbolic link" -f $source dangling
	absent nothing
	not_written "makedumpfile: tolink: exists; use -f to overwrite it" $source tolink
	[ "$(cat target)" = precious ] || fail "what existed was changed"
	expect_status 0 makedumpfile -f $source tolink
	told ""
	[ -h tolink ] || fail "the link was replaced"
	same_dump target want
	[ "$(stat -c %a target)" = 600 ] || fail "its mode is $(stat -c %a target)"
	echo precious > target
	chmod 644 target
done

# VMCORE itself, under each name.
for name in ./core hard soft; do
	for option in -f -fE -fc; do
		not_written "makedumpfile: $name: is the source, core" $option core $name
		not_written "makedumpfile: core: is the source, $name" $option $name core
	done
	expect_status 1 makedumpfile -f --split core new $name
	[ -s err ] || fail "--split: no word"
	expect_out "$failed"
	expect_status 1 makedumpfile -f --dump-dmesg core $name
	expect_out "$failed"
done
not_written "makedumpfile: core: is the source" -f core core
for name in ./dump dump.hard dump.soft dump; do
	not_written "makedumpfile: $name: is the source; nothing was written; choose another output" -f dump $name
	expect_status 1 makedumpfile -f --reassemble dump $name
	expect_out "$failed"
	expect_status 1 makedumpfile -f -R $name < dump
	[ -s err ] || fail "-R: no word"
	expect_out "$failed"
done
not_written "makedumpfile: new: was given twice" --split core new new
same core core.before
same dump dump.before
absent new

# --- long names

# One that is cut off would be that of another file.
long=$(awk 'BEGIN { for (i = 0; i < 2046; i++) printf "./"; print "abcnew" }')
for source in core dump; do
	for option in -c -f; do
		expect_status 1 makedumpfile $option $source "$long"
		grep -q '^makedumpfile: \./\./\.' err || fail "a long name: $(cut -c 1-200 err)"
		expect_out "$failed"
	done
done
absent abc abcn abcne abcnew
part=$(printf '%0300d' 0)
expect_status 1 makedumpfile core "$part"
grep -q ': File name too long' err || fail "$(cat err)"
# All of one that can be written is printed.
long=$(awk 'BEGIN { for (i = 0; i < 2000; i++) printf "./"; print "new" }')
expect_status 0 makedumpfile core "$long"
expect_out "$(saved "$long")"
same_dump new want
expect_status 0 makedumpfile -f dump "$long"
expect_out "$(saved "$long")"
same_dump new want
rm new

# --- a named pipe: what it gets is flattened

mkfifo pipe
not_written "makedumpfile: pipe: exists; use -f to overwrite it" kinds pipe
expect_status 0 nsplit -q -d 31 --format=kdump kinds small
cat pipe > flat &
expect_status 0 makedumpfile -f -d 31 kinds pipe
wait $!
told ""
expect_out "$(saved pipe)"
same_dump flat small
cat pipe > copy &
expect_status 0 makedumpfile -f --dump-dmesg ring pipe
wait $!
same copy text
# The reader ends early; its status does not matter.
head -c 5000000 pipe > copy &
expect_status 1 makedumpfile -f -d 31 kinds pipe
wait $!
told "makedumpfile: pipe: Broken pipe; given up
makedumpfile: the dump is cut off; njoin makes a dump of what was sent"
expect_out "$failed"
# Of a dump, too.
cat pipe > copy &
expect_status 0 makedumpfile -f dump pipe
wait $!
same_dump copy dump
[ -p pipe ] || fail "the pipe was replaced"

copies=$(find . -name '*.??????' ! -name 'core.before' ! -name 'dump.before')
[ -z "$copies" ] || fail "left behind: $copies"
