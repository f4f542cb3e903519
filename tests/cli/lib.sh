# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The beginning of every script here.  The script then runs in a directory of its own, which is removed
# when it ends, for whatever reason.  The programs that were built come first in PATH.  By hand, from
# the build directory:
#	srcdir=.. sh ../tests/cli/help.sh

set -eu

# Messages must not depend on who runs the test.
LC_ALL=C
export LC_ALL
unset SOURCE_DATE_EPOCH POSIXLY_CORRECT
# Nor on this machine's /etc/nsplit.conf.  This is not an option, since tests call nsplit in many
# ways.
NSPLIT_CONFIG=
export NSPLIT_CONFIG
umask 022

srcdir=$(cd "${srcdir:?}" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
PATH=$builddir:$PATH
# Where nsplit finds its script, which may not be installed.
NSPLIT_SCRIPTS=$srcdir/kdump/common
export srcdir builddir PATH NSPLIT_SCRIPTS

lib_dir=$(mktemp -d "${TMPDIR:-/tmp}/nsplit-test.XXXXXX")

lib_processes=		# process ids

# kill_at_exit PID: kills it when the script ends.  A signal to the script does not reach what it runs
# in the background, and what is left running may write until the disk is full.
kill_at_exit() {
	lib_processes="$lib_processes $1"
}

lib_kill() {
	for lib_pid in $lib_processes; do
		# The process id of a child that was waited for may be that of another process by now.
		grep -qs "^PPid:[[:space:]]*$$\$" "/proc/$lib_pid/status" || continue
		kill -s KILL "$lib_pid" && wait "$lib_pid" || :
	done 2> /dev/null
	lib_processes=
}

lib_clean() {
	lib_kill
	cd /
	rm -rf "$lib_dir"
}

trap lib_clean EXIT
# The exit runs the EXIT trap above.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$lib_dir"

# What follows in the message about a value that is not a size, in all programs.
# shellcheck disable=SC2034 # for the scripts
size_rule='; use a whole number, alone or with K, M, G, T or KiB, MiB, GiB, TiB (powers of 1024) or kB, MB, GB, TB (of 1000)'

# fail MESSAGE...: ends the test as failed
fail() {
	printf 'FAIL: %s\n' "$*" >&2
	exit 1
}

# skip REASON...: ends the test as skipped
skip() {
	printf 'SKIP: %s\n' "$*"
	exit 77
}

# long_test: skips the test where NSPLIT_SHORT is set, in builds that do not affect what it tests
long_test() {
	[ -z "${NSPLIT_SHORT-}" ] || skip "it takes long, and NSPLIT_SHORT is set"
}

# hup_ignored [DIRECTORY]: the script, or the process with this directory in /proc, ignores SIGHUP,
# as under nohup.  A shell cannot undo that, and then SIGHUP stops nothing.
hup_ignored() {
	grep -q '^SigIgn:.*[13579bdf]$' "${1-/proc/self}/status"
}

# need COMMAND...: skips the test unless all of them are installed
need() {
	for lib_command; do
		command -v "$lib_command" > /dev/null || skip "$lib_command is not installed"
	done
}

# need_root WHAT: skips the test unless it runs as root, which WHAT requires
need_root() {
	[ "$(id -u)" -eq 0 ] || skip "$1 requires root"
}

# need_terminal: skips the test unless a program can be given a terminal
need_terminal() {
	need python3
	python3 -c 'import os; os.openpty()' 2> lib.err || skip "no terminal can be made: $(tail -n 1 lib.err)"
}

# expect_status STATUS COMMAND...: leaves the output of the command in the files out and err
expect_status() {
	lib_want=$1
	lib_got=0
	shift
	"$@" > out 2> err || lib_got=$?
	[ "$lib_got" -eq "$lib_want" ] ||
		fail "$*: status $lib_got and not $lib_want; standard error: $(cat err)"
}

# expect_end STATUS PID [WHAT]: the process in the background, which writes the file err, ends with STATUS
expect_end() {
	lib_got=0
	wait "$2" || lib_got=$?
	[ "$lib_got" -eq "$1" ] || fail "${3:+$3: }status $lib_got and not $1; standard error: $(cat err)"
}

# narrow WHAT: no line of the file out has more than 80 columns
narrow() {
	[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fail "$1 has lines of more than 80 columns"
}

# help_fits PROGRAM: with a prompt, --help fits a terminal of 80 columns and 24 lines, and it names the
# manual page.  Leaves it in the file help.
help_fits() {
	expect_status 0 "$1" --help
	expect_err ""
	head -n 1 out | grep -q "^Usage: $1 " || fail "--help begins: $(head -n 1 out)"
	narrow --help
	[ "$(wc -l < out)" -le 23 ] || fail "--help has $(wc -l < out) lines"
	grep -q "'man $1'" out || fail "--help does not name the manual page"
	cp out help
	expect_status 0 "$1" -h
	same out help
	expect_status 0 "$1" --help=all
	grep -A 1 '^Report bugs to <.*@.*>\.$' out | grep -q '^Home page: <https://' || fail '--help=all has no address'
	expect_err ""
	narrow --help=all
	[ "$(wc -l < out)" -ge "$(wc -l < help)" ] || fail "--help=all is shorter than --help"
}

# help_shows TEXT...: the file help contains all of them, and three examples at its end
help_shows() {
	[ "$(sed '1,/^Examples:$/d' help | grep -c '^  [a-z]')" -eq 3 ] || fail "not three examples: $(cat help)"
	for lib_text; do
		grep -qF -e "$lib_text" help || fail "--help does not show $lib_text"
	done
}

# in_pipe COMMAND...: runs a part of a pipeline that is not its last, whose status the shell does
# not report
in_pipe() {
	lib_piped=0
	"$@" || lib_piped=$?
	[ $lib_piped -eq 0 ] || printf '%s: status %s\n' "$*" $lib_piped >> "$lib_dir/lib.piped"
	return $lib_piped
}

# pipes_ended_well: all of them have ended with status 0
pipes_ended_well() {
	[ ! -e "$lib_dir/lib.piped" ] || fail "in a pipeline: $(cat "$lib_dir/lib.piped")"
}

# wait_for COMMAND...: repeats COMMAND until it succeeds; fails after two minutes, more than any of
# them needs
wait_for() {
	lib_tries=0
	until "$@"; do
		lib_tries=$((lib_tries + 1))
		[ $lib_tries -lt 2400 ] || fail "timed out: $*"
		sleep 0.05
	done
}

# at_least BYTES FILE: the file has at least this size
at_least() {
	[ -e "$2" ] && [ "$(wc -c < "$2")" -ge "$1" ]
}

# still_at_least PID BYTES FILE: likewise; fails if PID, which writes FILE and the file err, has
# ended
still_at_least() {
	runs "$1" || fail "it ended by itself: $(cat err)"
	at_least "$2" "$3"
}

# still_says PID PATTERN: a line of the file err matches; fails if PID, which writes it, has ended
still_says() {
	runs "$1" || fail "it ended by itself: $(cat err)"
	grep -q "$2" err
}

# has_open PID FILE: some process has this file of the current directory open; fails if PID, which
# should open it and writes the file err, has ended
has_open() {
	runs "$1" || fail "it ended by itself: $(cat err)"
	find /proc/[0-9]*/fd -lname "$(pwd -P)/$2" 2> lib.find | grep -q .
}

# runs PID: it has not ended.  A process that has ended but was not waited for is a zombie.
runs() {
	[ -e "/proc/$1/stat" ] || return 1
	lib_state=$(sed 's/.*) \(.\).*/\1/' "/proc/$1/stat" 2> lib.stat) || return 1
	case $lib_state in '' | Z | X) return 1 ;; esac
}

# process_gone PID: the opposite, for wait_for
process_gone() {
	! runs "$1"
}

# ends_when_asked_again PID: sends SIGTERM until PID has ended.  Its programs treat signals within
# one second as one request, and end at once at the second request.
ends_when_asked_again() {
	lib_tries=0
	while runs "$1"; do
		lib_tries=$((lib_tries + 1))
		[ $lib_tries -lt 2400 ] || { kill -s KILL "$1"; fail "it does not end: $(cat err)"; }
		kill -s TERM "$1" 2> lib.kill || :
		sleep 0.05
	done
}

# need_limits: skips the test unless sizes of files can be limited; shells count them in units of 512 or 1024 bytes
need_limits() {
	(ulimit -f 8 && trap '' XFSZ && head -c 100000 /dev/zero > lib.probe 2> lib.probe.err) || :
	lib_unit=$(($(wc -c < lib.probe) / 8))
	rm lib.probe
	case $lib_unit in
	512 | 1024) ;;
	*) skip "ulimit -f counts in units of $lib_unit bytes" ;;
	esac
}

# limited BYTES COMMAND...: runs it with this limit on the size of files, as on a small disk
limited() {
	(
		ulimit -f $(($1 / lib_unit))
		shift
		trap '' XFSZ
		exec "$@"
	)
}

# list_codecs: writes the names of the codecs to the file codecs, one a line
list_codecs() {
	nsplit --list-codecs > lib.codecs
	sed 's/ .*//' lib.codecs > codecs
	[ -s codecs ] || fail 'this build has no codecs'
}

# lib_expect FILE TEXT: FILE contains TEXT and a newline, or is empty if TEXT is
lib_expect() {
	if [ -z "$2" ]; then
		[ ! -s "$1" ] || fail "$1 should be empty and is: $(cat "$1")"
		return
	fi
	printf '%s\n' "$2" > "$1.want"
	cmp -s "$1" "$1.want" || fail "$1 should be: $2
$1 is: $(cat "$1")"
	rm -f "$1.want"
}

# expect_err TEXT: standard error of the last expect_status was exactly TEXT
expect_err() {
	lib_expect err "$1"
}

# expect_out TEXT: likewise for standard output
expect_out() {
	lib_expect out "$1"
}

# expect_usage PROGRAM TEXT ARGUMENT...: PROGRAM refuses the arguments with TEXT, and refers to --help
expect_usage() {
	lib_program=$1 lib_text=$2
	shift 2
	expect_status 2 "$lib_program" "$@"
	expect_err "$lib_program: $lib_text
Try '$lib_program --help' for more information."
	expect_out ""
}

# same FILE FILE: they are identical
same() {
	cmp "$1" "$2" > lib.cmp 2>&1 || fail "$1 and $2 differ: $(cat lib.cmp)"
	rm -f lib.cmp
}

# absent FILE...: none of them exists
absent() {
	for lib_file; do
		if [ -e "$lib_file" ] || [ -h "$lib_file" ]; then
			fail "$lib_file should not be there"
		fi
	done
}

# closed MEMBER...: each of them ends with a footer
closed() {
	for lib_file; do
		tail -c 4096 "$lib_file" | head -c 8 > lib.magic
		[ "$(cat lib.magic)" = nsplitFT ] || fail "$lib_file is not closed"
	done
	rm -f lib.magic
}

# joined MEMBER...: they are closed and give the file core; removes them
joined() {
	closed "$@"
	expect_status 0 njoin -q -o copy "$@"
	same copy core
	rm -f copy "$@"
}

# make_core KIND [ARGUMENT...]: runs tests/unit/make_KIND_core, which makes cores in files that it names;
# skips the test if it was not built
make_core() {
	lib_maker=make_$1_core
	shift
	[ -x "$builddir/tests/unit/$lib_maker" ] || skip "$lib_maker was not built: it needs check"
	"$builddir/tests/unit/$lib_maker" "$@" > made 2>&1 || fail "$lib_maker: $(cat made)"
}

# no_superblock MEMBER: clears its first page
no_superblock() {
	dd if=/dev/zero of="$1" bs=4096 count=1 conv=notrunc 2> dd.err || fail "$(cat dd.err)"
}

# have_codec NAME: this build has it
have_codec() {
	nsplit --list-codecs > lib.codecs
	grep -q "^$1\( .*\)*\$" lib.codecs
}

# need_inject PROGRAM: skips the test if tests/faults/inject.c cannot make the program's calls fail
need_inject() {
	inject=$builddir/tests/faults/inject.so
	[ -e "$inject" ] || skip 'tests/faults/inject.so is not built: run make check'
	injected '' "$1" --version > version
	[ -s log ] || skip "nothing can be preloaded into $1: it is linked statically"
}

# injected RULES COMMAND...: makes calls of the command fail as RULES say (tests/faults/rules.h).
# The file log gets a line "ready" from each program, and a line for each call that fails.
injected() {
	lib_rules=$1
	shift
	env INJECT="$lib_rules" INJECT_LOG=log LD_PRELOAD="$inject" \
		ASAN_OPTIONS=verify_asan_link_order=0 "$@"
}

# as_vmcore FILE COMMAND...: the command takes FILE for /proc/vmcore.  Reading what the file deadly lists, as lines
# "OFFSET LENGTH", kills it, and adds a line to the file touched (tests/faults/as_vmcore.c); not with --mmap=always or auto.
as_vmcore() {
	lib_vmcore=$(pwd -P)/$1
	shift
	env NSPLIT_AS_VMCORE="$lib_vmcore" NSPLIT_DEADLY=deadly NSPLIT_DEADLY_LOG=touched \
		LD_PRELOAD="$builddir/tests/faults/as_vmcore.so" ASAN_OPTIONS=verify_asan_link_order=0 "$@"
}

# as_documented COMMAND: runs a command line of doc/remote.md, so that the document cannot be wrong;
# but with the file core as source, and $public in place of PUBLIC
as_documented() {
	need bash
	grep -qxF "    $1" "$srcdir/doc/remote.md" || fail "not in doc/remote.md: $1"
	bash -c "$(printf '%s\n' "$1" | sed "s|/proc/vmcore|core|; s|PUBLIC|${public-}|g")"
}
