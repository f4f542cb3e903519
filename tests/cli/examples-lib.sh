# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The beginning of the tests that run the commands of README.md and of the manual pages.  A block is a
# block of commands in README.md, or in EXAMPLES of a manual page, or a command in backquotes in
# README.md.  Each runs in a directory of its own, with the programs that were built.  Absolute paths become relative ones, so that neither root
# nor disks are needed, and sizes become small.  Programs of others that need another machine, a
# kernel's symbols or keys are stand-ins.
# shellcheck source=tests/cli/mount-lib.sh
. "${srcdir:?}/tests/cli/mount-lib.sh"

need bash readelf python3
for examples_codec in lz4 zstd; do
	have_codec $examples_codec || skip "this build has no $examples_codec"
done
make_core log
make_core kinds

examples_dir=$PWD

# Replaces that of mount-lib.sh: a block mounts in its own directory.
lib_clean() {
	lib_kill
	# Unmounting what is not mounted fails, which is ignored.
	fusermount3 -u -z "$examples_dir/run/mnt" 2> "$examples_dir/umount" || :
	cd /
	rm -rf "${lib_dir:?}"
}

# --- stand-ins --------------------------------------------------------------

mkdir stand-ins

# stand_in NAME: standard input becomes the program of this name
stand_in() {
	{ printf '#!/bin/sh\nset -eu\n'; cat; } > "stand-ins/$1"
	chmod +x "stand-ins/$1"
}

# ssh [-o OPTION] [USER@]HOST COMMAND: the home there is the directory hosts/HOST
stand_in ssh << 'END'
[ "$1" != -o ] || shift 2
home=hosts/${1#*@}
shift
mkdir -p "$home"
cd "$home"
exec sh -c "$*"
END

# rclone rcat REMOTE:PATH
stand_in rclone << 'END'
[ "$1" = rcat ]
file=remotes/$(echo "$2" | tr : /)
mkdir -p "${file%/*}"
exec cat > "$file"
END

# age -r RECIPIENT, and age -d -i KEY FILE: a line is put before the data, and removed again
stand_in age << 'END'
case $1 in
-r)
	echo "encrypted for $2"
	exec cat
	;;
*)
	[ "$1 $2 $3" = '-d -i key' ]
	head -n 1 "$4" | grep -q '^encrypted for '
	exec tail -n +2 "$4"
	;;
esac
END

# crash [OPTION] vmlinux DUMP...: reads the first bytes of each.  tests/readers and tests/kernel run
# the real one.
stand_in crash << 'END'
for word; do
	case $word in
	-* | vmlinux) continue ;;
	esac
	magic=$(head -c 5 "$word" | tr -d '\177\002')
	case $magic in
	ELF | KDUMP) ;;
	*) echo "crash: $word: not a dump" >&2; exit 1 ;;
	esac
done
END

# nsplit-makedumpfile(1); tests/readers runs the program of others
ln -s "$builddir/nsplit" stand-ins/makedumpfile

PATH=$PWD/stand-ins:$PATH

# --- blocks -----------------------------------------------------------------

# readme_blocks FILE DIRECTORY: writes each indented block of it to DIRECTORY/01, 02 ...  An interactive
# zsh takes a comment after a command for operands.
readme_blocks() {
	! grep -q '^```' "$1" || fail "${1##*/} has a block that is not indented"
	! grep '^    .*# ' "$1" || fail "${1##*/} has a comment in a block"
	awk -v dir="$2" '
		!/^    / { within = 0; next }
		!within { within = 1; file = sprintf("%s/%02d", dir, ++n) }
		{ print substr($0, 5) > file }' "$1"
}

# inline_blocks FILE DIRECTORY: writes each command in backquotes to DIRECTORY/inline-01 ..., once
inline_blocks() {
	grep -v '^    ' "$1" | grep -oE '`(nsplit|njoin|nsplit-mount|nsplit-bench|mkfakevmcore|make|man) [^`]*`' |
		tr -d '`' | sort -u > inline
	awk -v dir="$2" '{ print > sprintf("%s/inline-%02d", dir, NR) }' inline
}

# manual_blocks FILE DIRECTORY: likewise for the blocks of EXAMPLES
manual_blocks() {
	awk -v dir="$2" '
		/^\.SH / { examples = $2 == "EXAMPLES"; within = 0 }
		examples && /^\.(nf|EX)$/ { within = 1; file = sprintf("%s/%02d", dir, ++n); next }
		/^\.(fi|EE)$/ { within = 0 }
		within && !/^\./ { print > file }' "$1" > awk.out
	for examples_block in "$2"/*; do
		[ -e "$examples_block" ] || continue
		sed -i -e 's/\\-/-/g' -e "s/\\\\(aq/'/g" -e 's/\\(dq/"/g' -e 's/\\f.//g' \
			-e 's/\\e/\\/g' "$examples_block"
	done
}

# all_blocks: prints the file of each block, one a line; files of configuration are not commands
all_blocks() {
	mkdir blocks
	for examples_file in "$srcdir/README.md" "$srcdir/doc/makedumpfile.md" "$srcdir"/man/*.[14]; do
		examples_name=blocks/${examples_file##*/}
		mkdir "$examples_name"
		case $examples_file in
		*.md)
			readme_blocks "$examples_file" "$examples_name"
			inline_blocks "$examples_file" "$examples_name"
			[ -e "$examples_name/inline-01" ] || fail "${examples_file##*/} has no commands in backquotes"
			;;
		*) manual_blocks "$examples_file" "$examples_name" ;;
		esac
		set -- "$examples_name"/*
		[ -e "$1" ] || fail "${examples_file##*/} has no examples"
		printf '%s\n' "$@"
	done
}

# commands_of BLOCK: prints its commands, one a line
commands_of() {
	sed -e ':a' -e '/\\$/{N;s/\\\n[[:space:]]*//;ba' -e '}' \
		-e '/|$/{N;s/\n[[:space:]]*/ /;ba' -e '}' "$1"
}

# here: translates a command to this directory, to small sizes, and to few measurements.  What
# --check-params says of the real /proc/vmcore depends on the machine; nsplit-check-params.sh tests it.  --estimate
# is about this machine, and takes no other source.
here() {
	sed -e '/ --estimate /!s|/proc/vmcore|proc/vmcore|g' -e 's|/proc/fakevmcore|proc/fakevmcore|g' \
		-e 's|/mnt/|disks/|g' -e 's|/tmp/|tmp/|g' -e 's|/var/crash|var/crash|g' \
		-e 's|/dev/sd|dev/sd|g' -e "s|/usr/share/nsplit/draw.py|$srcdir/bench/draw.py|" -e 's/^nsplit-bench /&--rounds=1 --warmup=0 --codecs=lzo /' \
		-e 's/\([=: ]\)\([0-9][0-9]*\)[GT]/\1\2M/g' -e 's/-d LEVEL/-d 31/'
}

# --- the directory in which a block runs ------------------------------------

# members NAME...: a capture of the core, of which each member has a part
members() {
	nsplit -q --stripe --chunksize=16K core "$@"
}

# prepare BLOCK: makes a new directory for it, with what its commands presuppose
prepare() {
	rm -rf "$examples_dir/run"
	mkdir "$examples_dir/run"
	cd "$examples_dir/run" || exit
	mkdir disks disks/a disks/b disks/root disks/x disks/y dev proc tmp var var/crash
	for examples_i in 0 1 2 3 4 5 6 7; do
		mkdir "disks/disk$examples_i"
	done
	# The core of a kernel is too small for a split dump.
	if grep -q 'dmesg\|^makedumpfile \|^nsplit.* --format=kdump' "$examples_dir/$1"; then
		cp "$examples_dir/ring" core
	else
		mkfakevmcore --size=4M core
	fi
	cp core proc/vmcore
	: > dev/sdb1
	: > dev/sdc1
	mkfakevmcore --size=10M proc/fakevmcore
	examples_text=$(cat "$examples_dir/$1")
	case $examples_text in
	*'nsplit -c vmcore '* | *' vmcore null:'* | *' vmcore a b'* | *'nsplit-bench '*' vmcore '*) cp core vmcore ;;
	*VMCORE*) cp core VMCORE ;;
	esac
	case $examples_text in
	*'nsplit '*) ;;
	*'/mnt/disk{0..7}/a'*) members 'disks/disk{0..7}/a' ;;
	*'--salvage a b c'*) members a b c && truncate -s -5000 c ;;
	*'--salvage'*' a b'*) members a b && truncate -s -5000 b ;;
	*' a b'*) members a b ;;
	*' A B'*) members A B ;;
	esac
	case $examples_text in
	*'.smaller vmcore.kdump'* | *vmcore.flat*) njoin -q --format=kdump -o vmcore.kdump core ;;
	esac
	case $examples_text in
	*vmcore.flat*)
		python3 "$srcdir/tests/cli/flatten.py" vmcore.kdump 4096 > vmcore.flat
		;;
	esac
	case $examples_text in
	*'readelf '*'/tmp/vmcore'*) cp core tmp/vmcore ;;
	esac
}

# --- running ----------------------------------------------------------------

# not_run COMMAND: it, or its first word, is on the list of those that are not run here
not_run() {
	cut -f 1 "$examples_dir/list" > "$examples_dir/not-run"
	for examples_entry in "$1" "${1%% *}"; do
		if grep -qxF -e "$examples_entry" "$examples_dir/not-run"; then
			printf '%s\n' "$examples_entry" >> "$examples_dir/listed"
			return
		fi
	done
	return 1
}

# list_is_needed: an entry that is not needed is a mistake in the list
list_is_needed() {
	while IFS='	' read -r examples_entry examples_reason; do
		[ -n "$examples_reason" ] || fail "no reason: $examples_entry"
		grep -qxF -e "$examples_entry" listed || fail "no example has $examples_entry"
	done < list
}

# bad_pages BLOCK: prints the rules (tests/faults/rules.h) that make the pages of fakevmcore_bad= in it
# unreadable; nothing if calls of nsplit cannot be made to fail
bad_pages() {
	sed -n 's/.*fakevmcore_bad=\([0-9,-]*\).*/\1/p' "$1" | tr , '\n' > bad
	[ -s bad ] && (need_inject nsplit) > injectable || return 0
	while IFS=- read -r examples_first examples_last; do
		examples_range=$((examples_first * 4096))-$(((${examples_last:-$examples_first} + 1) * 4096))
		printf '%s ' "pread:fakevmcore:@$examples_range:EFAULT" "mmap:fakevmcore:@$examples_range:EFAULT"
	done < bad
}

# safe COMMAND: it begins with a program that this test may run on any machine, even as root
safe() {
	case $1 in
	'nsplit '* | 'njoin '* | 'nsplit-mount '* | 'nsplit-bench '* | 'mkfakevmcore '*) ;;
	'crash '* | 'makedumpfile '* | 'python3 /usr/share/nsplit/draw.py '* | 'fusermount3 -u mnt') ;;
	'mkdir '* | 'truncate '* | 'readelf '* | 'uuid='* | 'PATH='* | 'SOURCE_DATE_EPOCH=0 nsplit '*) ;;
	*) return 1 ;;
	esac
}

# status_of COMMAND: prints the exit status that its example leads to
status_of() {
	case $examples_bad$1 in
	*' --salvage '* | pread:*'nsplit '*) echo 3 ;;
	*) echo 0 ;;
	esac
}

# run_block BLOCK: runs all of its commands in one shell, as a reader who types them does
run_block() {
	prepare "$1"
	examples_bad=$(bad_pages "$examples_dir/$1")
	{
		printf 'set -o pipefail\n'
		[ -z "$examples_bad" ] || printf 'export %s=%s LD_PRELOAD="%s" INJECT="%s"\n' \
			ASAN_OPTIONS verify_asan_link_order=0 "$builddir/tests/faults/inject.so" "$examples_bad"
		commands_of "$examples_dir/$1" | while IFS= read -r command; do
			! not_run "$command" || continue
			safe "$command" || fail "$1: neither safe to run nor on the list: $command"
			printf '%s\n' "$command" | here
			printf 'examples_status=$?; [ $examples_status -eq %s ] || {\n' "$(status_of "$command")"
			printf '\techo "status $examples_status of the command in line $LINENO" >&2\n\texit 1\n}\n'
			printf '%s\n' "$command" >> "$examples_dir/expected"
			printf 'echo >> "%s"\n' "$examples_dir/ran"
		done
	} > "$examples_dir/script"
	bash "$examples_dir/script" > "$examples_dir/out" 2> "$examples_dir/err" < /dev/null ||
		fail "$1: $(cat "$examples_dir/err" "$examples_dir/script")"
	[ -z "$examples_bad" ] ||
		[ "$(grep -c '^nsplit: unreadable: bytes ' "$examples_dir/err")" -eq "$(wc -l < bad)" ] ||
		fail "$1: not each range of bad pages is reported: $(cat "$examples_dir/err")"
	# What was restored is what was captured.
	for examples_copy in copy vmcore; do
		[ ! -e $examples_copy ] || same core $examples_copy
	done
	cd "$examples_dir" || exit
}

# run_blocks: the blocks whose files standard input names
run_blocks() {
	: > expected
	: > ran
	: > listed
	while read -r examples_block; do
		run_block "$examples_block"
	done
	[ -s ran ] || fail 'no command was run'
	[ "$(wc -l < ran)" -eq "$(wc -l < expected)" ] || fail 'not all commands were run'
	list_is_needed
}
