#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members encrypted with age, for which the public key is enough: the right key gives the core, a
# wrong key gives nothing, and changes on the disk are detected.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need age age-keygen bash python3
mkfakevmcore -s 3000001 -p random core

# During the capture, the private keys are elsewhere.
age-keygen -o key 2> keygen.err
age-keygen -o wrong 2> keygen.err
public=$(age-keygen -y key)
mkdir disk0 disk1 elsewhere
mv key wrong elsewhere

expect_status 0 as_documented "nsplit -c /proc/vmcore '|age -r PUBLIC > disk0/a.age' '|age -r PUBLIC > disk1/a.age'"
mv elsewhere/key .
expect_status 0 as_documented 'njoin -o copy <(age -d -i key disk0/a.age) <(age -d -i key disk1/a.age)'
same copy core
rm copy

# The same with named files.
rm disk0/a.age disk1/a.age
expect_status 0 as_documented "nsplit -c --filter='age -r PUBLIC > \"\$FILE\"' /proc/vmcore 'disk{0..1}/a.age'"
expect_status 0 as_documented 'njoin -o copy <(age -d -i key disk0/a.age) <(age -d -i key disk1/a.age)'
same copy core
rm copy

# Two striped members, one of which is damaged below.
nsplit -q -c --stripe --chunksize=256K core "|age -r $public > a.age" "|age -r $public > b.age"
mv elsewhere/wrong .

# njoined STATUS ARGUMENT...: checks njoin's status and messages, without those of age
njoined() {
	want=$1
	shift
	expect_status "$want" bash -c "njoin -q -o copy $*"
	sed -i '/^age: /d' err
}

# With a wrong key, nothing can be read.
njoined 1 '<(age -d -i wrong a.age)' '<(age -d -i wrong b.age)'
expect_err 'njoin: /dev/fd/63: not a member of an nsplit set: it has 0 bytes'
absent copy
njoined 1 '<(age -d -i key a.age)' '<(age -d -i wrong b.age)'
expect_err 'njoin: /dev/fd/62: not a member of an nsplit set: it has 0 bytes'
absent copy
# Without a key, nothing can be read either.
expect_status 1 njoin -q -o copy a.age b.age
expect_err 'njoin: a.age: not a member of an nsplit set: no superblock at byte 0'
absent copy

# changed OFFSET: makes bad.age from b.age with one bit inverted
changed() {
	python3 - b.age "$1" > bad.age << 'END'
import sys

data = bytearray(open(sys.argv[1], "rb").read())
data[int(sys.argv[2])] ^= 1
sys.stdout.buffer.write(data)
END
}

# found MESSAGE [HINT]: njoin refuses bad.age with MESSAGE and HINT, and what it can still write is correct except
# for the holes that it names
found() {
	njoined 1 '<(age -d -i key a.age)' '<(age -d -i key bad.age)'
	expect_err "njoin: /dev/fd/62: $1${2-}"
	absent copy
	njoined 3 '--salvage -v' '<(age -d -i key a.age)' '<(age -d -i key bad.age)'
	sed '/^njoin: missing: /d; /^njoin: member 1 of 2 (numbered 0 to 1) is missing$/d; /: member [01] of 2, /d' err > told
	printf 'njoin: /dev/fd/62: %s\n' "$1" | cmp -s - told || fail "--salvage: $(cat err)"
	grep '^njoin: missing: ' err > holes || fail "--salvage names no holes: $(cat err)"
	python3 -B "$srcdir/tests/system/holes.py" core copy holes || fail "--salvage: $(cat err)"
	rm copy
}

size=$(wc -c < b.age)
# After its header, age's format has one random number, then chunks of 64 KiB. age writes a chunk
# only after it has verified it.
changed 50
found 'not a member of an nsplit set: it has 0 bytes'
changed 600000
found 'has no footer at byte 585728: the capture did not finish, or the member was cut short' '; use --salvage to read what is intact'
changed $((size - 1))
found 'has no footer at byte 1437696: the capture did not finish, or the member was cut short' '; use --salvage to read what is intact'
head -c 600000 b.age > bad.age
found 'has no footer at byte 585728: the capture did not finish, or the member was cut short' '; use --salvage to read what is intact'

# If the key is invalid, the other output takes everything.
rm -f disk0/a.age
expect_status 0 nsplit -q core '|age -r nobody > disk0/a.age' a
sed -i '/^age: /d' err
expect_err 'nsplit: |age -r nobody > disk0/a.age: exited with status 1 before reading all of its input; given up, continuing on 1 output'
expect_status 0 njoin -q -o copy a
same copy core
