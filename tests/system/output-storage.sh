#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An output that is stored on a member, or that stores one, is refused: loop devices, and
# partitions.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

mkfakevmcore -s 300000 core
truncate -s 4M first
make_loop first
first=$loop
nsplit -q -c core a b

# busy OUTPUT MEMBER...: and every member is unchanged
busy() {
	output=$1
	shift
	cksum "$@" > before
	expect_status 1 njoin -q --overwrite-dumps -o "$output" "$@"
	expect_err "njoin: $output: Device or resource busy"
	cksum "$@" > after
	same before after
	expect_status 0 njoin -q --verify "$@"
}

# The output is a loop device on a member.
make_loop a
expect_status 2 njoin -q -f -o "$loop" a b
expect_err "njoin: $loop: is a member; use --overwrite-dumps to overwrite it"
retry loop_off a || fail "the loop device stays"

# A file on the same file system as a member.
expect_status 0 njoin -q -o beside a b
same beside core

# A mounted device is read, with a message.
nsplit -q --overwrite-dumps -c core "$first" b
python3 - "$first" "$first" b > held.err 2>&1 << 'END' || fail "a device in use: $(cat held.err)"
import os, subprocess, sys
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
r = subprocess.run(['njoin', '-q', '--verify', *sys.argv[2:]], capture_output=True, text=True)
want = (f'njoin: {sys.argv[1]}: is mounted or in use by another program; reading it anyway; '
        'make sure that nothing writes to it\n')
if r.returncode or r.stderr != want:
    sys.exit(f'status {r.returncode}: {r.stderr}')
END

# While nsplit reads the device, nobody else may use it: nsplit has the device open and waits for
# the writer of its pipe.
mkfifo pipe
nsplit -q --overwrite-dumps -c --stripe --chunksize=64K core "$first" piped
njoin -q -o - "$first" pipe > joined 2> reader.err &
reader=$!
kill_at_exit $reader
exec 3> pipe
status=0
nsplit -q --overwrite-dumps -c core "$first" 2> err || status=$?
cat piped >&3
exec 3>&-
[ $status -eq 1 ] || fail "a device that is read was written to: status $status: $(cat err)"
grep -q 'Device or resource busy' err || fail "$(cat err)"

# A partition, its disk, and another partition.
need partx
truncate -s 64M disk2
python3 - << 'END'
import struct
with open("disk2", "r+b") as disk:
    disk.seek(446)
    for first, sectors in (2048, 71680), (81920, 4096), (0, 0), (0, 0):
        disk.write(struct.pack("<4xB3xII", 0x83 if sectors else 0, first, sectors))
    disk.write(b"\x55\xaa")
END
make_loop disk2
at_exit "partx -d $loop"
partx -a "$loop" 2> part.err || skip "no partitions on loop devices: $(cat part.err)"
# The kernel keeps the partitions; nsplit refuses a device with a table.
dd if=/dev/zero of="$loop" bs=512 count=1 conv=fsync 2> dd.err || fail "$(cat dd.err)"
disk=$loop
for number in 1 2; do
	if ! [ -b "${disk}p$number" ]; then
		numbers=$(cat "/sys/class/block/${disk#/dev/}p$number/dev")
		mknod "p$number" b "${numbers%:*}" "${numbers#*:}" || fail "no device node"
	else
		ln -s "${disk}p$number" "p$number"
	fi
done
nsplit -q --overwrite-dumps -c core p1 b
busy "$disk" p1 b
expect_status 0 njoin -q --overwrite-dumps -o p2 p1 b
expect_status 0 njoin -q --verify p1 b
nsplit -q --overwrite-dumps -c core "$disk" b
busy p1 "$disk" b

# The same of a dump, and of a core, on a partition.
make_core kinds
[ -f kinds ] || fail "no core: $(ls)"
nsplit -q --format=kdump kinds dump
for held in dump kinds; do
	dd if=$held of=p1 bs=4096 conv=fsync 2> dd.err || fail "$(cat dd.err)"
	cksum p1 > before
	expect_status 1 njoin -q --overwrite-dumps --format=kdump -o "$disk" p1
	expect_err "njoin: $disk: Device or resource busy"
	cksum p1 > after
	same before after
done
