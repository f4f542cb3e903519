#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The command lines of kdump.sh (kdump-utils) that call the collector, with the configuration that
# the dracut module makes: to a file, to ssh, and to a raw device.  A local shell replaces the one
# behind ssh.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need bash
head -c 3M /dev/urandom > core
CORE_COLLECTOR='nsplit -c'

# dump_fs(): the file is renamed if the collector's exit status is 0.
mkdir mnt mnt2
echo "also = $PWD/mnt2/vmcore" > nsplit.conf
NSPLIT_CONFIG=$PWD/nsplit.conf
$CORE_COLLECTOR core mnt/vmcore-incomplete > console 2>&1 || fail "it says: $(cat console)"
sync -f mnt/vmcore-incomplete
mv mnt/vmcore-incomplete mnt/vmcore
expect_status 0 njoin -q -o copy mnt/vmcore mnt2/vmcore
same core copy
rm copy

# dump_ssh() and dump_raw(): no file is named, and standard output must contain only the dump.
expect_status 2 nsplit -c --no-config core
cat > nsplit.conf << END
output = -
also = $PWD/mnt2/second
END
_ssh_dir=$PWD/mnt
in_pipe $CORE_COLLECTOR core 2> console |
	sh -c "umask 0077 && dd bs=512 of='$_ssh_dir/vmcore-incomplete'" 2> dd.err
pipes_ended_well
expect_status 0 njoin -q -o copy mnt/vmcore-incomplete mnt2/second
same core copy
rm copy mnt2/second
[ "$(stat -c %a mnt/vmcore-incomplete)" = 600 ] || fail 'others may read it'

# The device is longer than the dump and was used before: the member does not end at the end of the
# device.
echo 'output = -' > nsplit.conf
yes old | head -c 6M > device
in_pipe $CORE_COLLECTOR core 2> console | dd of=device bs=512 conv=notrunc 2> dd.err
pipes_ended_well
expect_status 1 njoin -q -o copy device
absent copy
expect_status 3 njoin -q --salvage -o copy device
same core copy

# bash's pipefail, which kdump.sh sets, shows that the collector failed.
cat > nsplit.conf << END
compres = lzo
END
expect_status 2 bash -c "set -o pipefail; $CORE_COLLECTOR core | dd of=device bs=512 conv=notrunc"

# failure_action dump_to_rootfs calls the collector again, with a file of the root file system.  The outputs of
# the first attempt exist: they are left out, unless a bare disk has made nsplit-mount-disks add "force".
rm -f copy
mkdir sysroot
first=127.0.0.1-vmcore-incomplete
cp mnt2/vmcore mnt2/first
echo "also = $PWD/mnt2/first" > nsplit.conf
expect_status 0 $CORE_COLLECTOR core "sysroot/$first"
grep -q "mnt2/first: is a member; " err || fail "it does not report the output that exists: $(cat err)"
same mnt2/vmcore mnt2/first
expect_status 0 njoin -q -o copy "sysroot/$first"
same core copy
rm copy
echo 'force = yes' >> nsplit.conf
rm "sysroot/$first"
# Only of /proc/vmcore, it replaces members, too.
echo other > mnt2/first
expect_status 0 $CORE_COLLECTOR core "sysroot/$first"
expect_status 0 njoin -q -o copy "sysroot/$first" mnt2/first
same core copy
rm copy
# With ssh as target, nsplit.conf has "output = -", which the file that is named replaces.
echo 'output = -' > nsplit.conf
rm "sysroot/$first"
expect_status 0 $CORE_COLLECTOR core "sysroot/$first"
expect_out ''
expect_status 0 njoin -q -o copy "sysroot/$first"
same core copy
rm copy

# The script in the initramfs calls makedumpfile if nsplit fails, but not if something is missing.
mkdir bin dump proc
cat > bin/makedumpfile << 'END'
#!/bin/sh
echo "$@" >> called
for last; do :; done
case $* in *-F*) echo flattened ;; *) echo 'a dump' > "$last" ;; esac
END
cat > bin/failing << 'END'
#!/bin/sh
for last; do :; done
[ ! -d "${last%/*}" ] || printf '%s' "$wrote" > "$last"
exit $status
END
chmod +x bin/makedumpfile bin/failing
PATH=$PWD/bin:$PATH
NSPLIT_PROGRAM=$PWD/bin/failing
export PATH NSPLIT_PROGRAM wrote status
collector=$srcdir/kdump/dracut/95nsplit/nsplit-or-makedumpfile

# collected STATUS ARGUMENT...: the script ends with STATUS, and what makedumpfile was called with is in called
collected() {
	: > called
	expect_status "$@"
}

for status in 0 3; do
	wrote=member
	collected $status "$collector" -c /proc/vmcore dump/vmcore-incomplete
	lib_expect called ''
	[ "$(cat dump/vmcore-incomplete)" = member ] || fail 'the dump was changed'
	rm dump/*
done
for status in 1 2 137; do
	wrote=
	collected 0 "$collector" -c /proc/vmcore dump/vmcore-incomplete
	lib_expect called '-f -l --message-level 7 -d 31 /proc/vmcore dump/vmcore-incomplete'
	expect_err "nsplit failed (exit status $status); calling makedumpfile"
	[ "$(ls dump)" = vmcore-incomplete ] || fail "left: $(ls dump)"
	rm dump/*
done
# What nsplit has written is kept.
wrote=member
collected 0 "$collector" -c /proc/vmcore dump/vmcore-incomplete
[ "$(cat dump/vmcore-incomplete.nsplit)" = member ] || fail 'the member is gone'
# To standard output, makedumpfile may write only if nsplit has not.
collected 137 "$collector" -c /proc/vmcore
lib_expect called ''
status=2
collected 0 "$collector" -c /proc/vmcore
expect_out flattened
# Not a dump.
for words in --version '--dry-run --force /dev/null dump/x'; do
	# shellcheck disable=SC2086
	collected 2 "$collector" $words
	lib_expect called ''
done
# Without makedumpfile, the status is that of nsplit.
rm bin/makedumpfile
status=1
PATH=$PWD/bin collected 1 "$(command -v sh)" "$collector" -c /proc/vmcore dump/vmcore-incomplete
