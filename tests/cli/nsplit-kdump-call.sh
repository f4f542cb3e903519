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

# calls KDUMP WORDS ARGUMENT...: an estimate and a drill say that KDUMP calls nsplit with these words
calls() {
	kdump=$1
	words="$2 /proc/vmcore $PWD/root/var/crash/vmcore-incomplete"
	shift 2
	expect_status 0 nsplit --estimate "$@"
	expect_err "nsplit: estimate: as $kdump calls it: nsplit $words"
	grep -q "^output $PWD/root/var/crash/vmcore-incomplete: " out || fail "$(cat out)"
	expect_status 0 nsplit --drill --drill-size=8M --drill-memory=60M --progress=never "$@"
	grep -qxF "nsplit: drill: as $kdump calls it: nsplit $words" err || fail "$(cat err)"
	tail -n 1 err | grep -q '^nsplit: drill: 8.0 MiB in .*; verified and removed$' || fail "$(cat err)"
	expect_out ''
	[ -z "$(ls -A root/var/crash)" ] || fail "left: $(ls -A root/var/crash)"
}

of fedora
calls kdump-utils '-c -d 31'
of suse
calls 'SUSE kdump' '-c -d 31'
# Threads as many as the capture kernel has CPUs; the level of makedumpfile's options.
of debian
threads=
[ "$(nproc)" = 1 ] || threads=' -j1'
calls kdump-tools "-c -d31$threads"
on_machine /etc/default/kdump-tools 'USE_KDUMP=1
MAKEDUMP_ARGS="-c -d 31,17"
KDUMP_CMDLINE_APPEND="nr_cpus=999"'
calls kdump-tools '-c -d17'

# Options of the command line count more.
of fedora
expect_status 0 nsplit --estimate -d 0 --json
grep -qx '  "dump_level": 0,' out || fail "$(cat out)"
grep -qx '  "codec": "lzo",' out || fail "$(cat out)"
expect_status 0 nsplit --drill --drill-size=8M --drill-memory=60M -q
! grep 'calls it' err || fail "-q is not obeyed: $(cat err)"

# Mistakes are skipped, and reported; an option that saves nothing is not obeyed.
echo 'core_collector nsplit -c --frobnicate' > root/etc/kdump.conf
expect_status 0 nsplit --estimate
grep -q "^nsplit: warning: /etc/kdump.conf: .*--frobnicate" err || fail "$(cat err)"
grep -qF "calls it: nsplit -c --frobnicate /proc/vmcore" err || fail "$(cat err)"
echo 'core_collector nsplit --help' > root/etc/kdump.conf
expect_status 2 nsplit --drill
expect_err "nsplit: /etc/kdump.conf: --help makes nsplit print something and save nothing
nsplit: no OUTPUT given
Try 'nsplit --help' for more information."

# To another machine.
of fedora_ssh
expect_status 2 nsplit --drill
expect_err "nsplit: drill: as kdump-utils calls it: nsplit -c -d 31
nsplit: no OUTPUT given; dumps of this system go to another machine (ssh dumps@host), which a drill tries with an OUTPUT such as '|ssh ...'
Try 'nsplit --help' for more information."
expect_status 0 nsplit --estimate
expect_err 'nsplit: estimate: as kdump-utils calls it: nsplit -c -d 31'

# With operands, the command line is all.
of fedora
expect_status 0 nsplit --estimate -l root/var/crash/a
expect_err ''
expect_status 0 nsplit --drill --drill-size=8M --drill-memory=60M -q -l /proc/vmcore root/var/crash/a
! grep 'calls it' err || fail "$(cat err)"
