#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin's output is synced before it gets its name, and its name is synced before njoin ends: a
# core, a split set, a log, a device.  A device in use is not written.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

need_inject njoin
need python3

mkfakevmcore -s 4M core
nsplit -q -c core a b
mkdir dir

# fails RULE MESSAGE ARGUMENT...: njoin with a failing call leaves no file
fails() {
	rule=$1 message=$2
	shift 2
	rm -f log
	expect_status 1 injected "$rule" njoin -q "$@"
	expect_err "$message"
	[ "$(grep -vc '^ready' log)" -eq 1 ] || fail "$rule: the log is: $(cat log)"
	[ -z "$(ls -A dir)" ] || fail "$rule: something is left: $(ls -A dir)"
}

# killed RULE ARGUMENT...: njoin is killed in this call, when no file may have its final name
killed() {
	rule=$1
	shift
	status=0
	injected "$rule" njoin -q "$@" > killed.out 2>&1 || status=$?
	[ $status -eq 137 ] || fail "$rule: status $status: $(cat killed.out)"
	absent dir/new dir/one dir/two
	rm -f dir/*
}

for form in elf kdump; do
	fails 'fsync:new.*:1:EIO' "njoin: dir/new: Input/output error" --format=$form -o dir/new a b
	fails 'fsync:dir:1:EIO' "njoin: dir: Input/output error" --format=$form -o dir/new a b
	killed 'fsync:new.*:1:SIGKILL' --format=$form -o dir/new a b
done

# Both files of a split set, before the first of them gets its name.
for file in one two; do
	fails "fsync:$file.*:1:EIO" "njoin: dir/$file: Input/output error" \
		--format=kdump -o dir/one -o dir/two a b
	killed "fsync:$file.*:1:SIGKILL" --format=kdump -o dir/one -o dir/two a b
done
fails 'fsync:dir:1:EIO' "njoin: dir: Input/output error" --format=kdump -o dir/one -o dir/two a b
fails 'fsync:dir:2:EIO' "njoin: dir: Input/output error" --format=kdump -o dir/one -o dir/two a b

# A kernel log.
if [ -x "$builddir/tests/unit/make_log_core" ]; then
	make_core log
	nsplit -q -c ring e
	fails 'fsync:new.*:1:EIO' "njoin: dir/new: Input/output error" --dmesg -o dir/new e
	fails 'fsync:dir:1:EIO' "njoin: dir: Input/output error" --dmesg -o dir/new e
fi

truncate -s 8M disk
make_loop disk
fails "fsync:${loop#/dev/}:1:EIO" "njoin: $loop: Input/output error" --overwrite-dumps -o "$loop" a b
fails "fsync:${loop#/dev/}:1:EIO" "njoin: $loop: Input/output error" --overwrite-dumps --format=kdump -o "$loop" a b

# In exclusive use, as by a mount.
python3 - "$loop" << 'END' > held.err 2>&1 || fail "a device in use: $(cat held.err)"
import os, subprocess, sys
device = sys.argv[1]
fd = os.open(device, os.O_RDONLY | os.O_EXCL)
before = open(device, 'rb').read()
for form in 'elf', 'kdump':
    r = subprocess.run(['njoin', '-q', '--overwrite-dumps', '--format=' + form, '-o', device, 'a', 'b'],
                       capture_output=True, text=True)
    if r.returncode != 1 or r.stderr != f'njoin: {device}: Device or resource busy\n':
        sys.exit(f'status {r.returncode}: {r.stderr}')
if open(device, 'rb').read() != before:
    sys.exit('something was written')
END
