#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A file that somebody removes or truncates during the capture is not called a member: the others take
# what it held.  One that is renamed is.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

mkfakevmcore -s 4M -p random core
echo precious > precious

# finish STATUS: the capture goes on to its end; leaves its messages in err
finish() {
	status=0
	wait "$nsplit" || status=$?
	cp messages err
	[ $status -eq "$1" ] || fail "$engine: $change: status $status and not $1: $(cat err)"
}

# changed COMMAND MESSAGE MEMBER...: runs COMMAND while nsplit waits for the reader of a pipe
changed() {
	change=$1 message=$2
	shift 2
	rm -f a b other pipe
	mkfifo pipe
	nsplit -q --stripe --chunksize=16K $engine core a other pipe 2> messages &
	nsplit=$!
	kill_at_exit $nsplit
	exec 3< pipe
	wait_for at_least 60000 a
	eval "$change"
	cat <&3 > piped
	exec 3<&-
	finish 0
	expect_err "$message"
	expect_joined core "$@" other piped
}

# alone COMMAND STATUS MESSAGE: of a stream, to one output
alone() {
	change=$1
	rm -f a b source
	mkfifo source
	nsplit -q --chunksize=16K $engine source a 2> messages &
	nsplit=$!
	kill_at_exit $nsplit
	exec 3> source
	head -c 100000 core >&3
	wait_for at_least 60000 a
	eval "$change"
	tail -c +100001 core >&3
	exec 3>&-
	finish "$2"
	expect_err "$3"
}

given_up='given up, continuing on 2 outputs'
none_left='given up, no output is left'
removed='nsplit: a: was removed during the capture'
overwritten='nsplit: a: was overwritten during the capture'
renamed='nsplit: warning: a: was renamed during the capture; its member is in the file with the new name'
nothing='nsplit: nothing was captured: every output failed'

for engine in --serial -j2; do
	changed 'rm a' "$removed; $given_up"
	absent a
	changed 'mv a b; cp precious a' "$renamed" b
	same precious a
	changed 'cp precious c; mv c a' "$removed; $given_up"
	same precious a
	# NFS does this to a file that is removed while it is open.
	changed 'mv a .nfs0001' "$removed; $given_up"
	rm .nfs0001
	changed 'mkdir d; mv a d/a; ln -s d/a a' '' a
	rm -r d

	alone 'rm a' 1 "$removed; $none_left
$nothing"
	alone 'mv a b' 0 "$renamed"
	expect_joined core b

	changed ': > a' "$overwritten; $given_up"
	absent a
	alone ': > a' 1 "$overwritten; $none_left
$nothing"
done
