#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The way of a further disk: found where it is mounted, mounted again in the capture environment,
# and written by nsplit: with a file system, bare, and absent.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

[ "$(id -u)" -eq 0 ] || skip "a loop device takes root"
need losetup mke2fs mount umount findmnt blkid timeout
find_disks=$srcdir/kdump/disks/nsplit-find-disks
mount_disks=$srcdir/kdump/disks/nsplit-mount-disks

clean() {
	umount "$lib_dir"/run/nsplit/* "$lib_dir/mnt" || :
	for device in ${file_system-} ${bare-}; do
		losetup -d "$device" || :
	done
} 2> /dev/null
trap 'clean; lib_clean' EXIT

truncate -s 16M disk bare.disk
mke2fs -q -t ext4 disk
file_system=$(losetup -f --show disk) || skip 'no loop device can be had'
bare=$(losetup -f --show bare.disk) || skip 'no loop device can be had'
mkdir mnt etc
mount "$file_system" mnt 2> mount.err || skip "no ext4: $(cat mount.err)"
mkdir -p mnt/dumps/crash

# A directory is the disk that it lies on, and the rest of the way; the top of it is /.
printf '%s\n' "$PWD/mnt/dumps/crash" "$PWD/mnt" > disks.conf
expect_status 0 "$find_disks" disks.conf
uuid=$(blkid -p -o value -s UUID "$file_system")
expect_out "/dev/disk/by-uuid/$uuid /dumps/crash ext4
/dev/disk/by-uuid/$uuid / ext4"

# What a bind mount shows is not the whole of it.
mkdir bound
mount --bind mnt/dumps bound
printf '%s\n' "$PWD/bound" > disks.conf
expect_status 1 "$find_disks" disks.conf
umount bound
expect_err "nsplit-find-disks: disks.conf:1: $PWD/bound does not lie in the whole of $file_system: give the device and the directory in it; the line is left out"
umount mnt

cat > etc/nsplit-disks.conf << END
wait 1
$file_system /dumps/crash ext4
/dev/disk/by-id/nsplit-absent /crash
$bare bare
END
echo '# mine' > etc/nsplit.conf
head -c 3M /dev/urandom > core
NSPLIT_ETC=$PWD/etc NSPLIT_RUN=$PWD/run expect_status 1 "$mount_disks"
place=$(ls -d run/nsplit/2/dumps/crash/*)
[ -n "$(expr "$place" : '.*/\([0-9]\{4\}-[0-9][0-9]-[0-9][0-9]-[0-9]\{6\}\)$')" ] ||
	fail "the directory of the dump is $place"
expect_err "nsplit-mount-disks: the dump goes to $PWD/$place/vmcore
nsplit-mount-disks: /dev/disk/by-id/nsplit-absent is not there; it is left out
nsplit-mount-disks: the dump goes to $bare"
cat > want << END
# mine
force = yes
also = $PWD/$place/vmcore
also = $bare
END
same etc/nsplit.conf want

# nsplit writes to all three, and the two disks are not enough.
NSPLIT_CONFIG=$PWD/etc/nsplit.conf expect_status 0 nsplit -q -c --chunksize=64K core a
expect_status 0 njoin -q -o copy a "$place/vmcore" "$bare"
same core copy
expect_status 1 njoin -q --verify "$place/vmcore" "$bare"

# The file is on the disk, and not in the directory that it is mounted on.
umount run/nsplit/2
mount "$file_system" mnt
[ -s "mnt/dumps/crash/${place##*/}/vmcore" ] || fail 'the dump is not on the disk'
umount mnt

# What cannot be mounted costs itself; as the outputs of a command line that names none.
cat > etc/nsplit-disks.conf << END
$bare /crash
$file_system /dumps/crash
END
rm etc/nsplit.conf
NSPLIT_ETC=$PWD/etc NSPLIT_RUN=$PWD/run expect_status 1 "$mount_disks" output
grep -v '^mount: \|dmesg' err > said || :
grep -qx "nsplit-mount-disks: $bare cannot be mounted; it is left out" said ||
	fail "it does not say that $bare cannot be mounted: $(cat err)"
NSPLIT_CONFIG=$PWD/etc/nsplit.conf expect_status 0 nsplit -q core
expect_status 0 njoin -q -o - "$(sed -n 's/^output = //p' etc/nsplit.conf)"
same core out

# Where there is no file, there is nothing to do.
rm etc/nsplit-disks.conf etc/nsplit.conf
NSPLIT_ETC=$PWD/etc NSPLIT_RUN=$PWD/run expect_status 0 "$mount_disks"
expect_err ''
absent etc/nsplit.conf
