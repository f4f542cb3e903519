#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members that rclone sends to an S3 server, each in many parts: the joined core is the same, and
# complete although a server is cut off during the capture.  The server is moto, which ./quickstart
# check-remote fetches.
# shellcheck source=tests/remote/rclone-lib.sh
. "${srcdir:?}/tests/remote/rclone-lib.sh"

need python3
moto=$builddir/tests/remote/venv/bin/moto_server
[ -x "$moto" ] || moto=$(command -v moto_server) ||
	skip "moto_server is not installed (./quickstart check-remote fetches it)"
port=9000
# On a busy machine, moto may take some seconds to assemble an object, and fails if it is asked for
# that twice.
RCLONE_TIMEOUT=20s

# s3_server HOST: starts one with a bucket
s3_server() {
	sed "s/^\\[h1\\]/[$1]/; s/ADDRESS/$address/; s/^chunk_size = .*/chunk_size = 5M/" s3.conf \
		>> "$RCLONE_CONFIG"
	serving "$1" 'Running on' "$moto" -H "$address" -p $port
	rclone mkdir "$1:dumps"
	# Without versioning, moto reports the version "null", and does not recognize that name when
	# rclone checks what it has written.
	python3 - "http://$address:$port/dumps?versioning" << 'END' || fail "no versions on $1: $(cat $1.log)"
import sys, urllib.request

body = (b'<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        b'<Status>Enabled</Status></VersioningConfiguration>')
urllib.request.urlopen(urllib.request.Request(sys.argv[1], body,
        {"Content-Type": "application/xml"}, method="PUT"), timeout=60)
END
}

# parts HOST: prints how many parts of objects it received
parts() {
	grep -c '"PUT /dumps/a?.*partNumber=' "$1.log" || :
}

has_parts() {
	[ "$(parts "$1")" -ge "$2" ]
}

# objects HOST: prints the complete objects
objects() {
	rclone lsf "$1:dumps"
}

mkfakevmcore -s 40M -p random core
documented_remote s3
host h1
s3_server h1
host h2
s3_server h2

rclone_as_documented
has_parts h1 3 || fail "h1 received only $(parts h1) parts"
has_parts h2 3 || fail "h2 received only $(parts h2) parts"

# The cable of one is disconnected when it has received parts.
before=$(parts h2)
capturing 12000000
wait_for has_parts h2 $((before + 2))
unplugged h2
lost
plugged h2
[ -z "$(objects h2)" ] || fail "h2 has $(objects h2), which should not be complete"
