#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members that come through pipes are copied to temporary files where a pipe does not suffice: with
# layers, and for all that is not read front to back.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

make_core kinds
nsplit -q -c -d31 --chunksize=64K kinds a b
nsplit -q -c --chunksize=64K kinds plain
njoin -q --zero-left-out -o want a b
njoin -q -j1 --format=kdump -o want.kdump a b
njoin -q --list a b > want.list
njoin -q --list plain > plain.list
mkdir d tmp
mkfifo p q
TMPDIR=$PWD/tmp
export TMPDIR

# piped STATUS OPTION...: njoin with the members from two pipes
piped() {
	cat a > p &
	from_a=$!
	cat b > q &
	expect_status "$@" p q
	wait $from_a $!
	[ -z "$(ls -A tmp)" ] || fail "left in TMPDIR: $(ls -A tmp)"
}

piped 0 njoin -q --zero-left-out -o d/new
same d/new want
rm d/new
piped 0 njoin -q -j1 --format=kdump -o d/new
same d/new want.kdump
[ "$(ls -A d)" = new ] || fail "left beside the output: $(ls -A d)"
piped 0 njoin -q --zero-left-out -o -
same out want
piped 0 njoin -q --verify
piped 0 njoin -q --info
grep -qx 'complete: yes' out || fail "$(cat out)"
piped 0 njoin -q --list
same out want.list
expect_status 0 njoin -q --list - < plain
same out plain.list
expect_status 0 njoin -q --format=kdump --overwrite-dumps -o d/new - < plain

# A socket cannot be spliced.
cat > send.py << 'EOF'
import socket, subprocess, sys
ours, theirs = socket.socketpair()
njoin = subprocess.Popen(sys.argv[1:], stdin=theirs)
theirs.close()
ours.sendall(open("plain", "rb").read())
ours.close()
sys.exit(njoin.wait())
EOF
expect_status 0 python3 send.py njoin -q --list -
same out plain.list

# A capture writes to both pipes at once, and would wait for a reader that takes one after the other.
nsplit -q -c -d31 --chunksize=64K kinds p q &
rm d/new
expect_status 0 njoin -q --zero-left-out -o d/new p q
wait $!
same d/new want

# Damage is found as in files, and nothing is left.
rm d/new
head -c 20000 b > c
cat c > p &
expect_status 1 njoin -q --zero-left-out -o d/new p a
wait $!
grep -q '^njoin: missing: .* in total; nothing was written' err || fail "$(cat err)"
[ -z "$(ls -A d)" ] || fail "left: $(ls -A d)"
expect_status 1 njoin -q -o none/new - < a
expect_err "njoin: none: no temporary copy of the member standard input: No such file or directory"
TMPDIR=$PWD/none
expect_status 1 njoin -q --verify - < a
expect_err "njoin: $TMPDIR: no temporary copy of the member standard input: No such file or directory"
