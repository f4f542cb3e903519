#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An output that is stored on a member, or that stores one, is refused: loop devices, and
# partitions.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

mkfakevmcore -s 300000 core
truncate -s 4M first second disk
make_loop first
first=$loop
make_loop second
second=$loop
nsplit -q -c core a b
cp a a.copy

# refused OUTPUT WITH KIND MEMBER...: and every member is unchanged
refused() {
	output=$1 with=$2 kind=$3
	shift 3
	cksum "$@" > before
	expect_status 2 njoin -q --overwrite-dumps -o "$output" "$@"
	expect_err "njoin: $output: shares storage with $with, $kind; nothing was written; choose another output"
	cksum "$@" > after
	same before after
	expect_status 0 njoin -q --verify "$@"
}

member="a member of the set"

# The output is a loop device on a member: by its name, under another name, and without a name.
make_loop a
refused "$loop" a "$member" a b
ln a hard
refused "$loop" hard "$member" hard b
retry loop_off a || fail "the loop device stays"
ln a gone
make_loop gone
rm gone
at_exit "losetup -d $loop"
refused "$loop" a "$member" a b
[ "$(stat -c %i a)" = "$(stat -c %i hard)" ] || fail "the member was replaced"

# Also on a file that --salvage could not use as a member.
nsplit -q -c core other
make_loop other
cksum a b other > before
expect_status 2 njoin -q --salvage --overwrite-dumps -o "$loop" a b other
tail -n 1 err > last
lib_expect last "njoin: $loop: shares storage with other, which is given as a member; nothing was written; choose another output"
cksum a b other > after
same before after
retry loop_off other || fail "the loop device stays"

# A member is a loop device on the file that is the output.
nsplit -q --overwrite-dumps -c core "$first" b
refused first "$first" "$member" "$first" b

# Two devices on one file: on all of it, and on two different parts of it.
again=$(losetup -f --show first) || fail "no second loop device"
at_exit "losetup -d $again"
refused "$again" "$first" "$member" "$first" b
losetup -d "$again"
again=$(losetup -f --show -o 1M --sizelimit 1M disk) || fail "no loop device on a part"
beyond=$(losetup -f --show -o 2M --sizelimit 1M disk) || fail "no loop device on a part"
at_exit "losetup -d $beyond"
nsplit -q --overwrite-dumps -c core "$again" b
refused disk "$again" "$member" "$again" b
expect_status 0 njoin -q --overwrite-dumps -o "$beyond" "$again" b
expect_status 0 njoin -q --verify "$again" b
head -c 300000 "$beyond" | cmp - core || fail "not the core"

# Two loop devices, one on top of the other.
upper=$(losetup -f --show "$second") || fail "no loop device on a loop device"
at_exit "losetup -d $upper"
nsplit -q --overwrite-dumps -c core "$upper" b
refused "$second" "$upper" "$member" "$upper" b
refused second "$upper" "$member" "$upper" b
nsplit -q --overwrite-dumps -c core "$second" b
refused "$upper" "$second" "$member" "$second" b

# Two outputs of a split set.
mkfakevmcore -s 2M whole
nsplit -q --overwrite-dumps -c whole a b
expect_status 2 njoin -q --overwrite-dumps --format=kdump -o "$second" -o "$upper" a b
expect_err "njoin: $upper: shares storage with $second, another output; nothing was written; choose another output"

# Another file on the same file system as a member is allowed.
expect_status 0 njoin -q --overwrite-dumps -o beside a b
same beside whole

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
need addpart delpart
truncate -s 8M disk2
make_loop disk2
at_exit "delpart $loop 1"
at_exit "delpart $loop 2"
addpart "$loop" 1 2048 4096 2> part.err || skip "no partitions on loop devices: $(cat part.err)"
addpart "$loop" 2 8192 4096 2> part.err || fail "$(cat part.err)"
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
refused "$disk" p1 "$member" p1 b
refused disk2 p1 "$member" p1 b
expect_status 0 njoin -q --overwrite-dumps -o p2 p1 b
expect_status 0 njoin -q --verify p1 b
nsplit -q --overwrite-dumps -c core "$disk" b
refused p1 "$disk" "$member" "$disk" b
