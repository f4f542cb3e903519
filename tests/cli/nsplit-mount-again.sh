#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# When a record is read page by page, its member is read only once: with a minimal cache, with the
# longest records, and with a damaged record.
# shellcheck source=tests/cli/mount-lib.sh
. "${srcdir:?}/tests/cli/mount-lib.sh"
need_fuse
need python3
[ -r /proc/self/io ] || skip "there is no /proc/PID/io"

mkdir mnt

# pages FILE FROM TO WANT: reads each page by itself, backwards; WANT is "core", or the errno of all
pages() {
	python3 - "$@" << 'END' || fail "pages $*"
import os, sys
shown, core = os.open(sys.argv[1], os.O_RDONLY), os.open('core', os.O_RDONLY)
os.posix_fadvise(shown, 0, 0, os.POSIX_FADV_RANDOM)
for offset in reversed(range(int(sys.argv[2]), int(sys.argv[3]), 4096)):
    try:
        got = os.pread(shown, 4096, offset)
    except OSError as e:
        got = os.strerror(e.errno)
    want = os.pread(core, 4096, offset) if sys.argv[4] == 'core' else sys.argv[4]
    if got != want:
        sys.exit(f'page at {offset}: {got[:60]}')
END
}

begin() {
	nsplit-mount -f "$@" mnt 2> err &
	pid=$!
	until_mounted $pid mnt/vmcore
	before=$(bytes_read)
}

bytes_read() {
	sed -n 's/^rchar: //p' /proc/$pid/io
}

# read_at_most BYTES: since begin
read_at_most() {
	now=$(bytes_read)
	[ $((now - before)) -le "$1" ] || fail "$((now - before)) bytes read and not at most $1"
}

# ended STATUS
ended() {
	unmount mnt
	expect_end "$1" $pid
}

mkfakevmcore --size=4M --pattern=mixed core
nsplit -q -c --chunksize=1M core a
begin --cache=0 a
pages mnt/vmcore 1048576 2097152 core
read_at_most 1000000
ended 0

# The kernel keeps what was read, also for the next program that opens the file.  The member has
# more records than a minimal cache holds.
mkfakevmcore --size=64M --pattern=mixed large
nsplit -q -c --chunksize=1M large b
begin --cache=0 b
same mnt/vmcore large
# Another program may drop the kernel's cache, as nsplit-bench does; hardly each time.
tries=0
until before=$(bytes_read) && same mnt/vmcore large && [ $(($(bytes_read) - before)) -le 65536 ]; do
	tries=$((tries + 1))
	[ $tries -lt 20 ] || fail "$(($(bytes_read) - before)) bytes are read each time"
done
ended 0
rm large b
expect_err ""

# A damaged record as well; it is reported once, even if a counter of one byte would wrap around.
nsplit -q --overwrite-dumps -c --stripe --chunksize=1M core a b
printf 'x' | dd of=b bs=1 seek=5000 conv=notrunc 2> dd.err
begin a b
pages mnt/vmcore 1048576 2097152 "Input/output error"
pages mnt/vmcore 1048576 2097152 "Input/output error"
read_at_most 1000000
ended 3
expect_err "nsplit-mount: b: damaged at byte 4096: record of bytes 1048576 to 2097151 of the source"
