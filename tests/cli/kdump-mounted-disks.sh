#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A further disk: found where it is mounted, mounted again in the capture environment, and written
# by nsplit; with a file system, bare, and missing.
# shellcheck source=tests/cli/kdump-lib.sh
. "${srcdir:?}/tests/cli/kdump-lib.sh"

need_root "a loop device"
need losetup mke2fs mount umount findmnt blkid timeout wipefs
find_disks=$srcdir/kdump/common/nsplit-find-disks
mount_disks=$srcdir/kdump/common/nsplit-mount-disks

lasting=/dev/disk/by-id/nsplit-test-$$

clean() {
	end_hanging
	umount "$lib_dir"/run/nsplit/* "$lib_dir/mnt" || :
	for device in ${file_system-} ${bare-} ${third-}; do
		losetup -d "$device" || :
	done
	rm -f "$lasting"*
	# If the test created them.
	rmdir /dev/disk/by-id /dev/disk || :
} 2> /dev/null
trap 'clean; lib_clean' EXIT

truncate -s 16M disk bare.disk
mke2fs -q -t ext4 disk
file_system=$(losetup -f --show disk) || skip 'no loop device is available'
bare=$(losetup -f --show bare.disk) || skip 'no loop device is available'
mkdir mnt etc
mount "$file_system" mnt 2> mount.err || skip "no ext4: $(cat mount.err)"
mkdir -p mnt/dumps/crash

# A directory becomes its disk and the path on it; the top directory is /.
uuid=$(blkid -p -o value -s UUID "$file_system")
echo "$PWD/mnt/dumps/crash" > disks.conf
expect_status 0 "$find_disks" disks.conf
expect_out "/dev/disk/by-uuid/$uuid /dumps/crash ext4"

# A line of the list has no place for a blank.
mkdir 'mnt/crash dumps'
ln -s 'mnt/crash dumps' link
echo "$PWD/link" > disks.conf
expect_status 1 "$find_disks" disks.conf
expect_out ''
expect_err "nsplit-find-disks: disks.conf:1: $PWD/link leads to $PWD/mnt/crash dumps, whose name on the disk contains a blank; the line is ignored"

# The same disk a second time, under any name, is ignored.
mkdir -p /dev/disk/by-id
ln -s "$file_system" "${lasting}a"
ln -s "$bare" "${lasting}b"
ln -s "$bare" "${lasting}c"
printf '%s\n' "$PWD/mnt" "$PWD/mnt/dumps" "${lasting}a /crash" "${lasting}b bare" \
	"${lasting}c bare" '/dev/disk/by-id/nsplit-absent /x' '/dev/disk/by-id/nsplit-absent bare' > disks.conf
expect_status 1 "$find_disks" disks.conf
expect_out "/dev/disk/by-uuid/$uuid / ext4
${lasting}b bare
/dev/disk/by-id/nsplit-absent /x"
expect_err "nsplit-find-disks: disks.conf:2: $file_system is already listed; the line is ignored
nsplit-find-disks: disks.conf:3: ${lasting}a is already listed; the line is ignored
nsplit-find-disks: disks.conf:5: ${lasting}c is already listed; the line is ignored
nsplit-find-disks: disks.conf:7: /dev/disk/by-id/nsplit-absent is already listed; the line is ignored"

# A disk is not blank if it has a file system, or partitions (this one has one).
printf '%s\n' "${lasting}a bare" > disks.conf
expect_status 1 "$find_disks" disks.conf
expect_err "nsplit-find-disks: disks.conf:1: ${lasting}a is not blank: it contains ext4; the line is ignored"
printf '\0\0\0\0\203\0\0\0\0\010\0\0\0\020\0\0' |
	dd of="$bare" bs=1 seek=446 conv=notrunc 2> dd.err
printf '\125\252' | dd of="$bare" bs=1 seek=510 conv=notrunc 2> dd.err
printf '%s\n' "${lasting}b bare" > disks.conf
expect_status 1 "$find_disks" disks.conf
expect_out ''
expect_err "nsplit-find-disks: disks.conf:1: ${lasting}b is not blank: it contains dos; the line is ignored"
dd if=/dev/zero of="$bare" bs=512 count=1 conv=notrunc 2> dd.err
expect_status 0 "$find_disks" disks.conf
rm "$lasting"*

# A bind mount shows only a part of the file system.
mkdir bound
mount --bind mnt/dumps bound
printf '%s\n' "$PWD/bound" > disks.conf
expect_status 1 "$find_disks" disks.conf
umount bound
expect_err "nsplit-find-disks: disks.conf:1: $PWD/bound is in a bind mount or subvolume of $file_system: give the device and the directory on it; the line is ignored"
umount mnt

cat > etc/nsplit-disks.conf << END
$file_system /dumps/crash ext4
/dev/disk/by-id/nsplit-absent /crash
$bare bare
wait 1
END
# The last line of the file may lack its newline.
printf '# mine\nverbose = no' > etc/nsplit.conf
head -c 3M /dev/urandom > core
mkdir bin
stub_sleep bin/sleep
# disks_mounted STATUS [KEY]: with this sleep
disks_mounted() {
	: > slept
	PATH=$PWD/bin:$PATH NSPLIT_ETC=$PWD/etc NSPLIT_RUN=$PWD/run \
		expect_status "$1" timeout -s KILL 60 "$mount_disks" "${2-also}"
}
disks_mounted 1
# One second of waiting for the missing disk, one because the clock does not start at a full second,
# and some until the other disks are mounted.
[ "$(wc -l < slept)" -le 5 ] || fail 'wait has no effect as the last line'
place=$(ls -d run/nsplit/1/dumps/crash/*)
[ -n "$(expr "$place" : '.*/\([0-9]\{4\}-[0-9][0-9]-[0-9][0-9]-[0-9]\{6\}\)$')" ] ||
	fail "the directory of the dump is $place"
expect_err "nsplit-mount-disks: writing the dump to $PWD/$place/vmcore
nsplit-mount-disks: /dev/disk/by-id/nsplit-absent: not found; skipped
nsplit-mount-disks: writing the dump to $bare"
cat > want << END
# mine
verbose = no
also = $PWD/$place/vmcore
force = yes
also = $bare
END
same etc/nsplit.conf want

# nsplit writes to all three; the two disks alone are incomplete.
NSPLIT_CONFIG=$PWD/etc/nsplit.conf expect_status 0 nsplit -q -c --stripe --chunksize=64K core a
expect_status 0 njoin -q -o copy a "$place/vmcore" "$bare"
same core copy
expect_status 1 njoin -q --verify "$place/vmcore" "$bare"

# The file is on the disk, and not in the directory below the mount point.
umount run/nsplit/1
mount "$file_system" mnt
[ -s "mnt/dumps/crash/${place##*/}/vmcore" ] || fail 'the dump is not on the disk'
umount mnt

# A disk that cannot be mounted is skipped; the others are the outputs of a command line without
# outputs.
cat > etc/nsplit-disks.conf << END
$bare /crash
$file_system /dumps/crash
END
rm etc/nsplit.conf
NSPLIT_ETC=$PWD/etc NSPLIT_RUN=$PWD/run expect_status 1 "$mount_disks" output
grep -v '^mount: \|dmesg' err > said || :
grep -qx "nsplit-mount-disks: $bare: cannot be mounted; skipped" said ||
	fail "it does not say that $bare cannot be mounted: $(cat err)"
# There is no bare device, so nothing may be overwritten.
! grep force etc/nsplit.conf || fail 'force = yes without a bare device'
NSPLIT_CONFIG=$PWD/etc/nsplit.conf expect_status 0 nsplit -q core
expect_status 0 njoin -q -o - "$(sed -n 's/^output = //p' etc/nsplit.conf)"
same core out

# unmounted: nothing is mounted there any more
unmounted() {
	umount run/nsplit/* 2> umount.err || :
}

# The name of the dump's directory is new on the disk.
stub bin/date <<- 'END'
	echo 1970-01-01-000012
END
mount "$file_system" mnt
mkdir -p mnt/again/1970-01-01-000012
echo keep > mnt/again/1970-01-01-000012/vmcore
umount mnt
echo "$file_system /again" > etc/nsplit-disks.conf
rm etc/nsplit.conf
unmounted
disks_mounted 0 output
expect_err "nsplit-mount-disks: writing the dump to $PWD/run/nsplit/1/again/1970-01-01-000012.1/vmcore"
unmounted
rm bin/date

# A bare disk that has come into use by the time of the crash is skipped with a message, and the
# others are used, also if these disks are the only outputs.
mke2fs -q -t ext4 "$bare"
cp bare.disk before.disk
rm etc/nsplit.conf
printf '%s\n' "$bare bare" "$file_system /third" > etc/nsplit-disks.conf
disks_mounted 1 output
said "nsplit-mount-disks: $bare: not blank: it contains ext4; skipped"
! grep "$bare\|force" etc/nsplit.conf || fail 'the disk is an output'
NSPLIT_CONFIG=$PWD/etc/nsplit.conf expect_status 0 nsplit -q core
unmounted
same before.disk bare.disk
# nsplit checks the disk itself if the initramfs has no blkid.
sed 's|command -v blkid|command -v no-such-blkid|' "$mount_disks" > nsplit-mount-disks
cp "${mount_disks%/*}/nsplit-kdump-functions" .
chmod +x nsplit-mount-disks
rm etc/nsplit.conf
NSPLIT_ETC=$PWD/etc NSPLIT_RUN=$PWD/run expect_status 1 ./nsplit-mount-disks output
grep -q "^nsplit-mount-disks: $bare: contains .*; skipped\$" err || fail "it says: $(cat err)"
! grep "$bare\|force" etc/nsplit.conf || fail 'the disk is an output'
unmounted
same before.disk bare.disk
wipefs -q -a "$bare"

# With force = no, nsplit would refuse the disk after it was announced.
echo 'force = no' > etc/nsplit.conf
echo "$bare bare" > etc/nsplit-disks.conf
disks_mounted 1
expect_err "nsplit-mount-disks: $bare: nsplit.conf says force = no, so a bare disk is not overwritten; skipped"
grep -v '^$' etc/nsplit.conf > got.conf
lib_expect got.conf 'force = no'
# nsplit does not understand the first line.
printf '%s\n' 'force = Yes' 'force = yes' > etc/nsplit.conf
disks_mounted 0
[ "$(grep -c 'force = yes' etc/nsplit.conf)" -eq 1 ] || fail "$(cat etc/nsplit.conf)"
echo 'force = Yes' > etc/nsplit.conf
disks_mounted 0
grep -qx 'force = yes' etc/nsplit.conf || fail "$(cat etc/nsplit.conf)"

# Disks that hang are waited for together, and no longer than the limit.
sed 's|^mount_seconds=60|mount_seconds=2|' "$mount_disks" > nsplit-mount-disks
cp "${mount_disks%/*}/nsplit-kdump-functions" .
chmod +x nsplit-mount-disks
stub_hanging bin/mount
truncate -s 16M third.disk
third=$(losetup -f --show third.disk) || skip 'no loop device is available'
rm etc/nsplit.conf
printf '%s\n' "$file_system /x" "$third /y" "$bare bare" 'wait 08' > etc/nsplit-disks.conf
mount_disks=$PWD/nsplit-mount-disks
disks_mounted 1
expect_err "nsplit-mount-disks: $file_system: no answer within 2 seconds; skipped
nsplit-mount-disks: $third: no answer within 2 seconds; skipped
nsplit-mount-disks: writing the dump to $bare"
[ "$(wc -l < slept)" -le 3 ] || fail "it sleeps $(wc -l < slept) times"
rm bin/mount

# Without the file, nothing is done.
rm etc/nsplit-disks.conf etc/nsplit.conf
disks_mounted 0
expect_err ''
absent etc/nsplit.conf
