#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members that go through rclone to an S3 server, each in many parts: back they are the same
# core, and whole without a server that is cut off in the middle.  The server is moto, which
# ./quickstart check-remote fetches.
# shellcheck source=tests/remote/rclone-lib.sh
. "${srcdir:?}/tests/remote/rclone-lib.sh"

need python3
moto=$builddir/tests/remote/venv/bin/moto_server
[ -x "$moto" ] || moto=$(command -v moto_server) ||
	skip "moto_server is not there (./quickstart check-remote fetches it)"
port=9000
# moto may take some seconds to put the parts of an object together, on a machine that has much to
# do, and fails when it is asked for that a second time.
RCLONE_TIMEOUT=20s

# s3_server HOST: one with a bucket
s3_server() {
	sed "s/^\\[h1\\]/[$1]/; s/ADDRESS/$address/; s/^chunk_size = .*/chunk_size = 5M/" s3.told \
		>> "$RCLONE_CONFIG"
	serving "$1" 'Running on' "$moto" -H "$address" -p $port
	rclone mkdir "$1:dumps"
	# Where nothing has versions moto calls them "null", and does not know its own name for it again
	# when rclone looks at what it has written.
	python3 - "http://$address:$port/dumps?versioning" << 'END' || fail "no versions on $1: $(cat $1.log)"
import sys, urllib.request

expect_warnings = (b'<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        b'<Status>Enabled</Status></VersioningConfiguration>')
urllib.request.urlopen(urllib.request.Request(sys.argv[1], told,
        {"Content-Type": "application/xml"}, method="PUT"), timeout=60)
END
}

# parts HOST: how many parts of objects it was given
parts() {
	grep -c '"PUT /dumps/a?.*partNumber=' "$1.log" || :
}

has_parts() {
	[ "$(parts "$1")" -ge "$2" ]
}

# objects HOST: those that are complete
objects() {
	rclone lsf "$1:dumps"
}

mkfakevmcore -s 40M -p random core
told_remote s3
host h1
s3_server h1
host h2
s3_server h2

rclone_as_documented
has_parts h1 3 || fail "h1 was given $(parts h1) parts only"
has_parts h2 3 || fail "h2 was given $(parts h2) parts only"

# The cable of one is pulled out, when it has parts of it.
before=$(parts h2)
capturing 12000000
wait_for has_parts h2 $((before + 2))
unplugged h2
lost
plugged h2
[ -z "$(objects h2)" ] || fail "h2 has $(objects h2), which should not be complete"
