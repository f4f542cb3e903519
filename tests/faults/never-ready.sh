#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Calls that answer EAGAIN or EINTR for ever: pages of a source are unreadable, and an output or a stream fails soon.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject nsplit

mkfakevmcore -s 1M core
# The core, with zeros from byte 69632 to 73727, and from 262144 to 786431.
cp core want
dd if=/dev/zero of=want bs=4096 seek=17 count=1 conv=notrunc status=none
dd if=/dev/zero of=want bs=4096 seek=64 count=128 conv=notrunc status=none

# bounded STATUS RULES PROGRAM...: the status is that of a program that was killed if it does not end
bounded() {
	status=$1 rules=$2
	shift 2
	expect_status "$status" injected "$rules" timeout -s KILL 20 "$@"
}

never_ready() {
	ranges="pread:core:@69632-73728:$1 pread:core:@262144-786432:$1"
	told="nsplit: unreadable: bytes 69632 to 73727 (core: $2)
nsplit: unreadable: bytes 262144 to 786431 (core: $2)
nsplit: part of the source could not be read"
	for threads in --serial --threads=2; do
		bounded 3 "$ranges" nsplit -q -d 0 $threads core a
		expect_err "$told"
		expect_status 3 njoin -q -o copy a
		cmp copy want || fail "$1: the rest is not what the core has"
		rm a copy
		bounded 3 "$ranges" nsplit -q -d 0 $threads --format=kdump core a
		expect_err "$told"
		expect_status 3 njoin --info a
		grep -q '^pages: 254 of 4096 bytes, 129 of them missing$' out || fail "$1: $(cat out)"
		rm a
	done

	# An output fails, and the other one has all.
	bounded 0 "write:a:2-:$1 pwrite:a:2-:$1" nsplit -q -c core a b
	expect_err "nsplit: a: $2; given up, continuing on 1 output"
	joined b

	# What a stream had before is kept.
	mkfifo pipe
	cat core > pipe 2> /dev/null &
	bounded 3 "read:pipe:3-:$1" nsplit -q -c pipe a
	wait
	sed 's/after [0-9]* bytes/after N bytes/' err > told
	[ "$(cat told)" = "nsplit: pipe: after N bytes: $2" ] || fail "$1: $(cat err)"
	expect_status 1 njoin -q --verify a
	expect_err "njoin: the capture ended before the end of the source"
	rm pipe a
}

never_ready EAGAIN "Resource temporarily unavailable"
never_ready EINTR "Interrupted system call"
