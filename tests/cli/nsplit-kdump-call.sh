#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Without operands, --estimate and --drill are about the command line with which the system's kdump calls nsplit.
# shellcheck source=tests/cli/check-lib.sh
. "${srcdir:?}/tests/cli/check-lib.sh"

# of MACHINE: the machine, with what an estimate reads
of() {
	$1
	on_machine /proc/meminfo 'MemTotal: 4194304 kB'
}

# calls KDUMP COMMAND ARGUMENT...: an estimate and a drill say that this is the command line of KDUMP.  Without -j, which
# depends on the number of CPUs here.
calls() {
	kdump=$1
	said="the command line of $kdump: $2 /proc/vmcore $PWD/root/var/crash/vmcore-incomplete"
	shift 2
	expect_status 0 nsplit --estimate "$@"
	sed -i 's/ -j[0-9]*//' err
	expect_err "nsplit: estimate: $said"
	grep -q "^output $PWD/root/var/crash/vmcore-incomplete: " out || fail "$(cat out)"
	expect_status 0 nsplit --drill --drill-size=8M --drill-memory=60M --progress=never "$@"
	sed -i 's/ -j[0-9]*//' err
	grep -qxF "nsplit: drill: $said" err || fail "$(cat err)"
	tail -n 1 err | grep -q '^nsplit: drill: 8.0 MiB in .*; verified and removed$' || fail "$(cat err)"
	expect_out ''
	[ -z "$(ls -A root/var/crash)" ] || fail "left: $(ls -A root/var/crash)"
}

# warns TEXT: an estimate says that, and the call
warns() {
	expect_status 0 nsplit --estimate
	grep -qxF "nsplit: warning: $1" err || fail "$(cat err)"
}

of fedora
calls kdump-utils 'nsplit -c -d 31'
of fedora_link
calls kdump-utils 'makedumpfile -l --message-level 7 -d 31'
of suse
calls 'SUSE kdump' 'nsplit -c -d 31'
of debian
calls kdump-tools 'nsplit -c -d31'
on_machine /etc/default/kdump-tools 'USE_KDUMP=1
MAKEDUMP_ARGS="-c -d 31,17"'
calls kdump-tools 'nsplit -c -d17'

# As many threads as the capture kernel has CPUs, if this machine has more.
on_machine /etc/default/kdump-tools 'USE_KDUMP=1
KDUMP_CMDLINE_APPEND="nr_cpus=1"'
expect_status 0 nsplit --estimate
case $(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status) in
*[,-]*) grep -q 'nsplit -c -d31 -j1 /proc/vmcore ' err || fail "$(cat err)" ;;
*) grep -q 'nsplit -c -d31 /proc/vmcore ' err || fail "$(cat err)" ;;
esac

# Under the name of makedumpfile, the dump is one that crash opens, with the codec of its options.
of fedora_link
expect_status 0 nsplit --estimate --json
grep -qx '  "codec": "lzo",' out || fail "$(cat out)"
for words in 'c zlib' 'zd31 zstd'; do
	have_codec "${words#* }" || continue
	echo "core_collector makedumpfile -d 1 -${words% *}" > root/etc/kdump.conf
	expect_status 0 nsplit --estimate --json
	grep -q "^  \"codec\": \"${words#* }" out || fail "$(cat out)"
done
echo 'core_collector makedumpfile -d31 -x z' > root/etc/kdump.conf
expect_status 0 nsplit --estimate --json
grep -qx '  "codec": "raw",' out || fail "$(cat out)"

# Another program is called.
of fedora
on_machine /usr/sbin/makedumpfile
echo 'core_collector makedumpfile -l -d 31' > root/etc/kdump.conf
warns 'kdump-utils calls /usr/sbin/makedumpfile, which is not nsplit'
grep -q 'estimate: the command line of kdump-utils, if it called nsplit: nsplit -c -d31' err || fail "$(cat err)"

# Options of the command line count more, levels and lists too; and they say what is done.
of fedora
expect_status 0 nsplit --estimate -d 0 --json
grep -qx '  "dump_level": 0,' out || fail "$(cat out)"
grep -qx '  "codec": "lzo",' out || fail "$(cat out)"
echo "core_collector nsplit -c --json --capture-only --fallback=$PWD/one" > root/etc/kdump.conf
expect_status 0 nsplit --estimate --fallback="$PWD/two"
grep -q "^output $PWD/two: " out || fail "$(cat out)"
! grep "^output $PWD/one: " out || fail "the fallback of kdump is there: $(cat out)"
echo 'core_collector nsplit -c -d 31 -q' > root/etc/kdump.conf
calls kdump-utils 'nsplit -c -d 31 -q'
expect_status 0 nsplit --drill --drill-size=8M --drill-memory=60M -q
! grep 'command line' err || fail "-q is not obeyed: $(cat err)"
for mode in --check-params --estimate --drill --drill=crash; do
	expect_usage nsplit 'with the options of kdump-utils: --stripe cannot be combined with --dump-level or --exclude' \
		$mode --stripe
done

# Mistakes are skipped, and reported.
echo 'core_collector nsplit -c --frobnicate 5' > root/etc/kdump.conf
warns "/etc/kdump.conf: unknown option '--frobnicate'"
warns "/etc/kdump.conf: '5' is not used as an output; it may be the value of an option"
grep -qF "the command line of kdump-utils: nsplit -c --frobnicate 5 /proc/vmcore $PWD/root/var/crash/" err || fail "$(cat err)"
echo 'core_collector nsplit -c --' > root/etc/kdump.conf
calls kdump-utils 'nsplit -c --'

# An option with which nsplit saves nothing: a drill of other outputs does not succeed.
echo 'core_collector nsplit --help' > root/etc/kdump.conf
expect_status 1 nsplit --drill
expect_err 'nsplit: /etc/kdump.conf: --help makes nsplit print something and save nothing'
expect_status 1 nsplit --estimate
expect_err 'nsplit: /etc/kdump.conf: --help makes nsplit print something and save nothing'
echo "output = $PWD/configured" > some.conf
NSPLIT_CONFIG=$PWD/some.conf expect_status 1 nsplit --drill --drill-size=8M --drill-memory=60M --progress=never
head -n 1 err | grep -qx 'nsplit: /etc/kdump.conf: --help makes nsplit print something and save nothing' || fail "$(cat err)"

# Without a directory of this machine.
of debian_initramfs
expect_status 0 nsplit --estimate
expect_err 'nsplit: estimate: the command line of initramfs-tools: nsplit -c'
of fedora_ssh
expect_status 2 nsplit --drill
expect_err "nsplit: drill: the command line of kdump-utils: nsplit -c -d 31
nsplit: no OUTPUT given; dumps of this system go to another machine (ssh dumps@host), which a drill tries with an OUTPUT such as '|ssh ...', or a file on a file system that is mounted
Try 'nsplit --help' for more information."
expect_status 0 nsplit --estimate
expect_err 'nsplit: estimate: the command line of kdump-utils: nsplit -c -d 31'

# To a file system that is not mounted.
of fedora
printf '%s\n' 'ext4 UUID=1234' 'core_collector nsplit -c -d 31' > root/etc/kdump.conf
expect_status 2 nsplit --drill
sed -i 1d err
expect_err "nsplit: no OUTPUT given, and kdump-utils does not save to a directory of the running system; name an OUTPUT where it saves
Try 'nsplit --help' for more information."

# A dump that was not finished is no obstacle: kdump makes a directory for each.
of fedora
: > root/var/crash/vmcore-incomplete
expect_status 0 nsplit --check-params
expect_status 0 nsplit --drill --drill-size=8M --drill-memory=60M -q
[ "$(ls root/var/crash)" = vmcore-incomplete ] || fail "$(ls root/var/crash)"

# Disks that only the scripts know.
of fedora
echo /mnt/disk1/crash > root/etc/nsplit-disks.conf
expect_status 0 nsplit --estimate
expect_err "nsplit: estimate: the command line of kdump-utils: nsplit -c -d 31 /proc/vmcore $PWD/root/var/crash/vmcore-incomplete
nsplit: estimate: further disks of the system's kdump are not in it; name all outputs to include them"

# With operands, the command line is all.
of fedora
expect_status 0 nsplit --estimate -l root/var/crash/a
expect_err ''
expect_status 0 nsplit --drill --drill-size=8M --drill-memory=60M -q -l /proc/vmcore root/var/crash/a
! grep 'command line' err || fail "$(cat err)"
# In the same order for all three, and the source may be left out before a single output.
for source in '' /proc/vmcore; do
	# shellcheck disable=SC2086 # no word if it is empty
	expect_status 0 nsplit --drill --drill-size=8M --drill-memory=60M -q -l $source root/var/crash/a
	# shellcheck disable=SC2086
	expect_status 0 nsplit --estimate -l $source root/var/crash/a
	nsplit --check-params -v -l $source root/var/crash/a > out 2> err || :
	grep -q '^nsplit: .*output root/var/crash/a:' err || fail "$(cat err)"
	! grep -i 'no OUTPUT' err || fail "$(cat err)"
done
