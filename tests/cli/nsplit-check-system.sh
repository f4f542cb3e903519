#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --check-params finds each way in which a machine with kdump can be misconfigured, and nothing else in it.
# shellcheck source=tests/cli/check-lib.sh
. "${srcdir:?}/tests/cli/check-lib.sh"

for machine in fedora fedora_link fedora_ssh suse debian debian_initramfs; do
	well $machine
done

# --- the kernel ---------------------------------------------------------------------------------

fedora
expect_status 0 checks --json
for figure in '"reserved_bytes": 268435456' '"kernel_loaded": true'; do
	grep -q "$figure" out || fail "$figure: $(cat out)"
done

fedora
on_machine /sys/kernel/kexec_crash_loaded 0
finds kernel-not-loaded error \
	"no capture kernel is loaded, so a crash makes no dump; start the system's kdump service"

# Secure Boot: kexec without -s is refused, and so the kernel is not loaded.
fedora
on_machine /sys/kernel/kexec_crash_loaded 0
on_machine /sys/kernel/security/lockdown 'none [integrity] confidentiality'
expect_status 1 checks
expect_err "nsplit: no capture kernel is loaded, so a crash makes no dump; start the system's kdump service
nsplit: the kernel is locked down (integrity), so a capture kernel can only be loaded with kexec -s, and only one with a valid signature"
# If it is loaded, it was signed.
on_machine /sys/kernel/kexec_crash_loaded 1
expect_status 0 checks -v
grep -q 'note: the kernel is locked down (integrity): the capture works' err || fail "$(cat err)"

fedora
on_machine /sys/kernel/kexec_crash_size 0
on_machine /proc/cmdline ro
finds crashkernel-missing error 'no memory is reserved for a capture kernel (crashkernel=)'

fedora
on_machine /sys/kernel/kexec_crash_size 0
finds crashkernel-failed error \
	"no memory is reserved for a capture kernel, although crashkernel= is on the kernel's command line; 'dmesg' may say why"

# The names of newer kernels, which may lack the older ones, and memory that processes use until a crash.
fedora
rm root/sys/kernel/kexec_crash_*
on_machine /sys/kernel/kexec/crash_loaded 1
on_machine /sys/kernel/kexec/crash_size 134217728
on_machine /sys/kernel/kexec/crash_cma_ranges '100000000-107ffffff'
echo '140000000-1ffffffff x' >> root/sys/kernel/kexec/crash_cma_ranges
expect_status 0 checks --json
grep -q '"reserved_bytes": 268435456' out || fail "$(cat out)"
expect_status 0 checks -v
grep -q '128.0 MiB more that processes use until a crash (crashkernel=...,cma)' err || fail "$(cat err)"
on_machine /sys/kernel/kexec/crash_loaded 0
finds kernel-not-loaded error \
	"no capture kernel is loaded, so a crash makes no dump; start the system's kdump service"

fedora
rm root/sys/kernel/kexec_crash_loaded
finds kexec-missing error \
	'this kernel has no kexec (/sys/kernel/kexec_crash_loaded does not exist), so a crash makes no dump'

# --- the service --------------------------------------------------------------------------------

fedora
rm root/etc/systemd/system/multi-user.target.wants/kdump.service
finds kdump-disabled error \
	'kdump-utils: kdump.service is not enabled, so no capture kernel will be loaded after the next boot'

suse
rm root/etc/systemd/system/multi-user.target.wants/kdump.service
finds kdump-disabled error \
	'SUSE kdump: kdump.service is not enabled, so no capture kernel will be loaded after the next boot'

debian
sed -i s/USE_KDUMP=1/USE_KDUMP=0/ root/etc/default/kdump-tools
finds kdump-disabled error \
	'kdump-tools: USE_KDUMP is not 1 in /etc/default/kdump-tools, so no capture kernel will be loaded after the next boot'

# --- who is called ------------------------------------------------------------------------------

fedora
echo 'core_collector nsplitt -c' > root/etc/kdump.conf
finds collector-missing error \
	'kdump-utils calls nsplitt, which does not exist, so there would be no dump'

fedora
on_machine /usr/sbin/makedumpfile
echo 'core_collector makedumpfile -l -d 31' > root/etc/kdump.conf
finds collector-not-nsplit warning 'kdump-utils calls /usr/sbin/makedumpfile, which is not nsplit'

# A link that leads nowhere, and one that leads elsewhere.
fedora_link
ln -sf /usr/local/bin/nsplit root/usr/sbin/makedumpfile
finds collector-missing error \
	'kdump-utils calls makedumpfile, which does not exist, so there would be no dump'
on_machine /usr/libexec/makedumpfile
ln -sf /usr/libexec/makedumpfile root/usr/sbin/makedumpfile
finds collector-not-nsplit warning 'kdump-utils calls /usr/libexec/makedumpfile, which is not nsplit'

suse
echo "KDUMP_TRANSFER=''" > root/etc/sysconfig/kdump
on_machine /usr/bin/makedumpfile
finds collector-not-nsplit warning 'SUSE kdump calls /usr/bin/makedumpfile, which is not nsplit'

debian
rm root/etc/systemd/system/kdump-tools-dump.service.d/nsplit.conf
finds collector-not-nsplit warning 'kdump-tools calls /usr/bin/makedumpfile, which is not nsplit'

# After make uninstall.
debian
rm root/usr/share/nsplit/kdump/debian/save.conf
rm root/usr/bin/makedumpfile
ln -s nsplit root/usr/bin/makedumpfile
finds collector-broken warning \
	"kdump-tools: the link to nsplit's unit leads nowhere, so kdump-tools saves the dump itself"

for machine in fedora suse; do
	$machine
	file=/etc/kdump.conf
	[ $machine = fedora ] || file=/etc/sysconfig/kdump
	sed -i 's/-c -d 31/-c -d 63/' root$file
	expect_status 0 checks
	expect_err "nsplit: warning: $file: -d: '63' is not a dump level, which is a number from 0 to 31: the sum of 1 (zero), 2 (cache), 4 (private), 8 (user) and 16 (free)
nsplit: warning: $file: '63' is not used as an output; it may be the value of an option"
	sed -i 's/-c -d 63/--frobnicate/' root$file
	expect_status 0 checks
	grep -q "^nsplit: warning: $file: .*--frobnicate" err || fail "$(cat err)"
done

# The operands are kdump's.
fedora
echo 'core_collector nsplit -c -d 31 /proc/vmcore /mnt/x' > root/etc/kdump.conf
finds collector-saves-nothing error \
	'/etc/kdump.conf: the line names a source or an output, and kdump appends both, so nsplit refuses it and saves nothing'

# Under the name of makedumpfile: options with which that saves nothing; and those that have such letters as values.
for option in --help --version --check-params --dry-run --mem-usage -h -lv; do
	fedora_link
	echo "core_collector makedumpfile -l -d 31 $option" > root/etc/kdump.conf
	finds collector-saves-nothing error "/etc/kdump.conf: with $option, makedumpfile saves nothing"
done
fedora_link
echo 'core_collector makedumpfile -l -d 31 -x vmlinux-h --message-level 7' > root/etc/kdump.conf
expect_status 0 checks
! grep 'saves nothing' err || fail "$(cat err)"

# SUSE: nsplit itself has no operands there; and without quotes, it is a command that the shell runs.
suse
echo 'KDUMP_TRANSFER="nsplit -c -d 31"' > root/etc/sysconfig/kdump
expect_status 1 checks
grep -qx 'nsplit: /etc/sysconfig/kdump: KDUMP_TRANSFER calls nsplit itself, without a source and an output; call nsplit-kdump-transfer' err ||
	fail "$(cat err)"
suse
echo 'KDUMP_TRANSFER=nsplit-kdump-transfer "$KDUMP_SAVEDIR" -c -d 31' > root/etc/sysconfig/kdump
expect_status 1 checks
grep -q 'calls makedumpfile, which does not exist' err || fail "$(cat err)"
# Others may follow, and a comment.
suse
echo "KDUMP_SAVEDIR=/var/crash KDUMP_TRANSFER='' # none" > root/etc/sysconfig/kdump
on_machine /usr/sbin/makedumpfile
expect_status 0 checks
grep -q 'calls /usr/sbin/makedumpfile, which is not nsplit' err || fail "$(cat err)"

# A drill is refused in the capture kernel, and the dump is made.
fedora
echo 'core_collector nsplit -c -d 31 --drill' > root/etc/kdump.conf
finds collector-options warning '/etc/kdump.conf: --drill is for the running system, not for the capture kernel'

# What this program does, and how it reports, is not what kdump's line says.
fedora
echo 'core_collector nsplit -c -d 31 -v --progress=always' > root/etc/kdump.conf
expect_status 0 checks
expect_err ''
echo 'core_collector nsplit -c -d 31 --capture-only' > root/etc/kdump.conf
expect_status 0 checks -v
grep -q '^nsplit: ok: kdump-utils calls nsplit' err || fail "the system is not looked at: $(cat err)"
fedora
echo 'core_collector nsplit -c -d 31 --format=elf' > root/etc/kdump.conf
expect_status 0 nsplit --check-params
expect_err ''

# The configuration is that of the command line here.
fedora
echo 'codek = lzo' > other.conf
NSPLIT_CONFIG=$PWD/other.conf expect_status 0 checks --no-config
expect_err ''

# What is wrong is skipped, as in the capture kernel; the rest of the line counts.
fedora
echo 'core_collector nsplit --frobnicate -c -d 31 --blocksize=5' > root/etc/kdump.conf
expect_status 0 checks -v
grep -q "^nsplit: warning: /etc/kdump.conf: .*--blocksize must be a power of two" err || fail "$(cat err)"
grep -q "^nsplit: ok: .*/var/crash/vmcore-incomplete" err || fail "the output of kdump is not looked at: $(cat err)"

# Options with which nsplit saves nothing; it prints nothing of that here.
for option in --help -h --version --list-codecs --dry-run --check-params --estimate; do
	fedora
	echo "core_collector nsplit -c $option" > root/etc/kdump.conf
	why="$option makes nsplit print something and save nothing"
	case $option in
	--dry-run | --check-params | --estimate) why="with $option, nsplit saves nothing" ;;
	esac
	finds collector-saves-nothing error "/etc/kdump.conf: $why"
done
fedora_link
sed -i 's/-d 31/-d 63/' root/etc/kdump.conf
finds collector-level warning "/etc/kdump.conf: '63' is not a dump level; use 0 to 31"
debian
echo 'MAKEDUMP_ARGS="-c -d 31,32"' >> root/etc/default/kdump-tools
finds collector-level warning "/etc/default/kdump-tools: '31,32' is not a dump level; use 0 to 31"

# --- the initramfs ------------------------------------------------------------------------------

fedora
rm "root$initramfs"
finds initramfs-missing warning "the capture initramfs $initramfs does not exist"

fedora
on_machine /etc/nsplit-disks.conf '/var/crash'
touch -d '2040-01-01' root/etc/nsplit-disks.conf
finds initramfs-stale warning \
	"the capture initramfs $initramfs is older than /etc/nsplit-disks.conf; make it again"

fedora
rm image/usr/libexec/nsplit/nsplit image/usr/bin/nsplit
pack
finds initramfs-no-nsplit error "the capture initramfs $initramfs contains no nsplit; make it again"
fedora_link
rm image/usr/libexec/nsplit/nsplit image/usr/bin/nsplit
pack
finds initramfs-stale warning \
	"the capture initramfs $initramfs contains no nsplit, and so another makedumpfile; make it again"

fedora
echo 'threads = 2' >> root/etc/nsplit.conf
finds initramfs-config warning \
	"/etc/nsplit.conf in the capture initramfs $initramfs is not the one of this system; make it again"
fedora
rm image/etc/nsplit.conf
pack
finds initramfs-config warning \
	"/etc/nsplit.conf in the capture initramfs $initramfs is not the one of this system; make it again"
debian_initramfs
rm root/etc/nsplit.conf
finds initramfs-config warning \
	"the capture initramfs $initramfs contains an /etc/nsplit.conf, and this system has none; make it again"

# Without the programs, only the age shows that the copy is old.
fedora
rm bin/lsinitrd
touch -d '2040-01-01' root/etc/nsplit.conf
PATH=$PWD/bin:$builddir:/usr/bin:/bin
if ! command -v lsinitrd > /dev/null && ! command -v lsinitramfs > /dev/null; then
	finds initramfs-stale warning \
		"the capture initramfs $initramfs is older than /etc/nsplit.conf; make it again"
	expect_status 0 checks -v
	grep -q "not checked: what is in the capture initramfs $initramfs: neither lsinitrd nor lsinitramfs is installed" err ||
		fail "$(cat err)"
fi

# --- disks and other machines -------------------------------------------------------------------

fedora
rm -r "image/usr/lib/modules"
pack
finds driver-missing error \
	"the capture initramfs $initramfs lacks the driver virtio_blk, so a disk of the dump would not be found"
# Where the root file system saves the dump, the initramfs mounts that.
debian
rm -r "image/usr/lib/modules"
pack
finds driver-missing error \
	"the capture initramfs $initramfs lacks the driver virtio_blk, so a disk of the dump would not be found"

suse
on_machine /etc/nsplit-disks.conf '# disks
wait 30
/var/crash
/dev/disk/by-id/virtio-gone /crash'
touch -d '2026-01-01' root/etc/nsplit-disks.conf
finds disk-missing warning \
	'/etc/nsplit-disks.conf: /dev/disk/by-id/virtio-gone does not exist, so the dump would be made without it'

fedora_ssh
rm root/root/.ssh/kdump_id_rsa
finds ssh-key-missing error 'the key for ssh dumps@host does not exist: /root/.ssh/kdump_id_rsa'
fedora_ssh
rm image/root/.ssh/kdump_id_rsa
pack
finds initramfs-key error \
	"the capture initramfs $initramfs lacks the key for ssh dumps@host: /root/.ssh/kdump_id_rsa"
fedora_ssh
on_machine /sys/class/net/eth0/operstate down
finds network-down error \
	'no network interface is up, but the dump goes to another machine (ssh dumps@host)'

# A command of nsplit.conf: its program, and its key here and in the initramfs.
: > key
fedora
echo 'exec cat > /dev/null' | stub send
for part in send "$PWD/key" ''; do
	in_image usr/bin/send
	in_image "${PWD#/}/key"
	case $part in
	send) rm image/usr/bin/send ;;
	/*) rm "image$part" ;;
	esac
	pack
	also="|send -i $PWD/key dumps@host"
	if [ -n "$part" ]; then
		finds initramfs-program warning "the capture initramfs $initramfs lacks $part for the output $also" \
			--also="$also"
	else
		expect_status 0 checks --also="$also"
		expect_err ''
	fi
done
rm key
finds command-wrong warning "$also: $PWD/key: No such file or directory" --also="$also"

# --- memory and space ---------------------------------------------------------------------------

fedora
on_machine /sys/kernel/kexec_crash_size 94371840
expect_status 1 checks --json -j1
grep -q '"id": "memory-too-small"' out || fail "$(cat out)"
fedora
expect_status 0 checks --json -j100
grep -q '"id": "memory-short"' out || fail "$(cat out)"

# Not the system.
expect_status 0 checks -v --capture-only
! grep -q kdump-utils err || fail "$(cat err)"

fedora
finds output-unusable error 'nowhere/vmcore: the directory nowhere does not exist' /proc/vmcore nowhere/vmcore
# Without operands, it is the directory of the kdump system.
rm -r root/var/crash
finds output-unusable error \
	"$PWD/root/var/crash/vmcore-incomplete: the directory $PWD/root/var/crash does not exist"
# These make it.
for machine in suse debian; do
	$machine
	rm -r root/var/crash
	expect_status 0 checks
	expect_err ''
done
# A machine with more memory than any disk.
fedora
on_machine /proc/iomem '00000000-ffffffffffffff : System RAM'
expect_status 1 checks --json
grep -q '"id": "space-too-small"' out || fail "$(cat out)"

# Further disks may have the space.
debian
on_machine /proc/iomem '00000000-ffffffffffffff : System RAM'
expect_status 1 checks -v
grep -q 'problem: .* free; the source has' err || fail "$(cat err)"
on_machine /etc/default/nsplit-kdump 'NSPLIT_DIRECTORIES="/mnt/disk1"'
expect_status 1 checks -v
grep -q 'warning: .* free; the source has' err || fail "$(cat err)"

# --- the command line of the kdump system -------------------------------------------------------

# called TEXT ARGUMENT...: this is in the object without options of ours
called() {
	text=$1
	shift
	expect_status 0 nsplit --check-params --json "$@"
	grep -qF "$text" out || fail "no $text in $(cat out)"
}

fedora
called '"dump_level": 31'
called '"codec": "lzo"'
called '"collector": "nsplit"'
called '"options": "-c -d 31"'
called '"program": "/usr/bin/nsplit"'
called "\"initramfs\": \"$initramfs\""
called '"directory": "/var/crash"'
# Ours come after those.
called '"codec": "raw"' -r
sed -i 's/-c -d 31/-C zlib -d 1/' root/etc/kdump.conf
! have_codec zlib || called '"codec": "zlib'
called '"dump_level": 1'
on_machine /etc/sysconfig/kdump 'KDUMP_COMMANDLINE_APPEND="irqpoll nr_cpus=1 reset_devices"'
called '"threads": 1'
called '"threads": 3' -j3
debian
called '"threads": 1'
called '"dump_level": 31'
echo 'MAKEDUMP_ARGS="-c -d 31,17"' >> root/etc/default/kdump-tools
called '"dump_level": 17'
called '"dump_level": 1' --exclude=zero
# SUSE's kdump has a setting for the level.
suse
printf '%s\n' "KDUMP_TRANSFER=''" 'KDUMP_DUMPLEVEL=17' > root/etc/sysconfig/kdump
ln -s nsplit root/usr/bin/makedumpfile
called '"dump_level": 17'
# A password in a URL is not printed.
sed -i '$a KDUMP_SAVEDIR="ftp://user:secret@host/crash"' root/etc/sysconfig/kdump
on_machine /sys/class/net/eth0/operstate up
called '"target": "ftp user@host/crash"'
fedora_ssh
called '"target": "ssh dumps@host"'
called '"outputs": []'
