# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What every script here begins with.  It stands in a directory of its own
# afterwards, which goes away when the script ends, however it ends.  The programs
# that were built come first in PATH.  By hand, from the build directory:
#	srcdir=.. sh ../tests/cli/nsplit-help.sh

set -eu

# What programs say must not depend on who runs the test.
LC_ALL=C
export LC_ALL
unset SOURCE_DATE_EPOCH POSIXLY_CORRECT
# Nor on what /etc/nsplit.conf says here.  Not an option: tests may call nsplit any way they like.
NSPLIT_CONFIG=
export NSPLIT_CONFIG
umask 022

srcdir=$(cd "${srcdir:?}" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
PATH=$builddir:$PATH
export srcdir builddir PATH

lib_dir=$(mktemp -d "${TMPDIR:-/tmp}/nsplit-test.XXXXXX")

lib_clean() {
	cd /
	rm -rf "$lib_dir"
}

trap lib_clean EXIT
# Exit from a trap runs the one above.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$lib_dir"

# fail MESSAGE...: the test has failed
fail() {
	printf 'FAIL: %s\n' "$*" >&2
	exit 1
}

# skip REASON...: the test cannot be done here
skip() {
	printf 'SKIP: %s\n' "$*"
	exit 77
}

# long_test: left out where NSPLIT_SHORT is set: in builds that differ in what it does not test
long_test() {
	[ -z "${NSPLIT_SHORT-}" ] || skip "it takes long, and NSPLIT_SHORT is set"
}

# hup_ignored [DIRECTORY]: as under nohup, which no shell can take back; then SIGHUP stops nothing.  With
# the directory of a process in /proc: that one ignores it.
hup_ignored() {
	grep -q '^SigIgn:.*[13579bdf]$' "${1-/proc/self}/status"
}

# need COMMAND...: skips the test where one of them is not installed
need() {
	for lib_command; do
		command -v "$lib_command" > /dev/null || skip "$lib_command is not installed"
	done
}

# expect_status STATUS COMMAND...: leaves what the command said in the files out and err
expect_status() {
	lib_want=$1
	lib_got=0
	shift
	"$@" > out 2> err || lib_got=$?
	[ "$lib_got" -eq "$lib_want" ] ||
		fail "$*: status $lib_got and not $lib_want; standard error: $(cat err)"
}

# in_pipe COMMAND...: a part of a pipeline that is not its last, whose status the shell does not tell
in_pipe() {
	lib_piped=0
	"$@" || lib_piped=$?
	[ $lib_piped -eq 0 ] || printf '%s: status %s\n' "$*" $lib_piped >> "$lib_dir/lib.piped"
	return $lib_piped
}

# pipes_ended_well: each of them ended with status 0
pipes_ended_well() {
	[ ! -e "$lib_dir/lib.piped" ] || fail "in a pipeline: $(cat "$lib_dir/lib.piped")"
}

# wait_for COMMAND...: until it succeeds; two minutes are more than any of them takes
wait_for() {
	lib_tries=0
	until "$@"; do
		lib_tries=$((lib_tries + 1))
		[ $lib_tries -lt 2400 ] || fail "waited in vain: $*"
		sleep 0.05
	done
}

# at_least BYTES FILE: the file has grown so far
at_least() {
	[ -e "$2" ] && [ "$(wc -c < "$2")" -ge "$1" ]
}

# still_at_least PID BYTES FILE: likewise, and PID, which writes it and the file err, is still running
still_at_least() {
	runs "$1" || fail "it ended by itself: $(cat err)"
	at_least "$2" "$3"
}

# still_says PID PATTERN: a line of the file err matches, and PID, which writes it, is still running
still_says() {
	runs "$1" || fail "it ended by itself: $(cat err)"
	grep -q "$2" err
}

# has_open PID FILE: a process has opened this file of this directory, and PID, which is to do so and
# writes the file err, is still running
has_open() {
	runs "$1" || fail "it ended by itself: $(cat err)"
	find /proc/[0-9]*/fd -lname "$(pwd -P)/$2" 2> lib.find | grep -q .
}

# runs PID: it has not ended; one that has, and was not waited for yet, is a zombie
runs() {
	[ -e "/proc/$1/stat" ] || return 1
	lib_state=$(sed 's/.*) \(.\).*/\1/' "/proc/$1/stat" 2> lib.stat) || return 1
	case $lib_state in '' | Z | X) return 1 ;; esac
}

# process_gone PID: it does not run, for wait_for
process_gone() {
	! runs "$1"
}

# ends_when_asked_again PID: asks it to stop until it has ended.  Its programs take all that they are asked
# within a second for one request, and the second request ends them at once.
ends_when_asked_again() {
	lib_tries=0
	while runs "$1"; do
		lib_tries=$((lib_tries + 1))
		[ $lib_tries -lt 2400 ] || { kill -s KILL "$1"; fail "it does not end: $(cat err)"; }
		kill -s TERM "$1" 2> lib.kill || :
		sleep 0.05
	done
}

# list_codecs: leaves the names of the codecs in the file codecs, a line each
list_codecs() {
	nsplit --list-codecs > lib.codecs
	sed 's/ .*//' lib.codecs > codecs
	[ -s codecs ] || fail 'this build has no codecs'
}

# lib_expect FILE TEXT: the file is TEXT and a newline, or empty like TEXT
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

# expect_err TEXT: standard error of the last expect_status, exactly
expect_err() {
	lib_expect err "$1"
}

# expect_out TEXT: standard output, likewise
expect_out() {
	lib_expect out "$1"
}

# same FILE FILE: holds if they are identical
same() {
	cmp "$1" "$2" > lib.cmp 2>&1 || fail "$1 and $2 differ: $(cat lib.cmp)"
	rm -f lib.cmp
}

# absent FILE...: none of them is there
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

# no_superblock MEMBER: clears its first page
no_superblock() {
	dd if=/dev/zero of="$1" bs=4096 count=1 conv=notrunc 2> dd.err || fail "$(cat dd.err)"
}

# have_codec NAME: is it in this build?
have_codec() {
	nsplit --list-codecs > lib.codecs
	grep -q "^$1\( .*\)*\$" lib.codecs
}

# need_inject PROGRAM: skips where the calls of a program cannot be made to fail by tests/faults/inject.c
need_inject() {
	inject=$builddir/tests/faults/inject.so
	[ -e "$inject" ] || skip 'tests/faults/inject.so is not built: it is by make check'
	injected '' "$1" --version > version
	[ -s log ] || skip "nothing can be preloaded into $1: it is linked statically"
}

# injected RULES COMMAND...: calls of the command fail as the rules say (tests/faults/rules.h); the file log
# gets a line "ready" from each program, and one for each call that fails
injected() {
	lib_rules=$1
	shift
	env INJECT="$lib_rules" INJECT_LOG=log LD_PRELOAD="$inject" \
		ASAN_OPTIONS=verify_asan_link_order=0 "$@"
}

# as_told COMMAND: one that doc/remote.md tells, so that it cannot tell what does not work; but
# the source is the file core, and PUBLIC is $public
as_told() {
	need bash
	grep -qxF "    $1" "$srcdir/doc/remote.md" || fail "doc/remote.md does not tell: $1"
	bash -c "$(printf '%s\n' "$1" | sed "s|/proc/vmcore|core|; s|PUBLIC|${public-}|g")"
}
