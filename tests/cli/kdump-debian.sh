#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kdump-tools-save after a crash, as kdump-tools calls it, and its check before one, with stubs of
# the programs that mount and reboot.
# shellcheck source=tests/cli/kdump-debian-lib.sh
. "${srcdir:?}/tests/cli/kdump-debian-lib.sh"

head -c 300K /dev/urandom > vmcore
stamp='[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]'

# --- success ------------------------------------------------------------------

settings
saves 'reboot -f -n'
expect_status 0 njoin -q -o copy crash1/*/vmcore.*.nsplit crash2/*/vmcore.*.nsplit
same vmcore copy
rm copy
dmesg=$(one crash1/$stamp/dmesg.$stamp)
[ "$(stat -c %a "$dmesg")" = 600 ] || fail 'others may read the log'
njoin -q --info --json crash1/*/vmcore.*.nsplit | grep -q '"codec": "lzo"' || fail 'it is not compressed'

# Copies of the drop-in of earlier versions call it without an argument.
settings
rm -f ended
expect_status 0 timeout -s KILL 60 sh save
[ "$(cat ended)" = 'reboot -f -n' ] || fail "it called $(cat ended): $(cat err)"
expect_status 0 njoin -q -o copy crash1/*/vmcore.*.nsplit crash2/*/vmcore.*.nsplit
same vmcore copy
rm copy

# The name is new in every directory. kdump-functions.sh tests names further.
settings
minute=$(date +%Y%m%d%H%M)
stub bin/date <<- END
	echo $minute
END
mkdir "crash2/$minute" "crash2/$minute.1"
saves 'reboot -f -n'
[ -s "crash1/$minute.2/vmcore.$minute.2.nsplit" ] && [ -s "crash2/$minute.2/vmcore.$minute.2.nsplit" ] ||
	fail "the names are: $(echo crash?/*)"

# The oldest dumps are removed; the new one counts, and so does one of kdump-tools.
settings KDUMP_NUM_DUMPS=2
mkdir "crash1/$minute" "crash1/$minute.1"
echo old > "crash1/$minute/dump.$minute"
echo old > "crash1/$minute.1/vmcore.$minute.1.nsplit"
echo old > "crash1/$minute.1/dmesg.$minute.1"
echo 'NSPLIT_DIRECTORIES=' > etc/default/nsplit-kdump
saves 'reboot -f -n'
[ "$(cd crash1 && echo *)" = "$minute.1 $minute.2" ] ||
	fail "the remaining dumps are: $(cd crash1 && echo *)"
said "kdump-tools-save: removing $PWD/crash1/$minute because KDUMP_NUM_DUMPS is 2"

# Only dumps are removed: not directories whose names are not twelve digits, nor directories with
# other files.
settings KDUMP_NUM_DUMPS=1
mkdir crash1/2fa-backup crash2/2019-holiday-photos crash1/20200101000 crash1/2020010100001 \
	crash1/202001010000 crash1/202001010001 crash1/202001010002
for stays in crash1/2fa-backup crash2/2019-holiday-photos crash1/20200101000 \
	crash1/2020010100001 crash1/202001010001; do
	echo keep > "$stays/vmcore-incomplete"
done
echo keep > crash1/202001010000/photo
echo keep > crash1/202001010001/vmcore.202001010000.nsplit
echo old > crash1/202001010002/dump-incomplete.gz
find crash1 crash2 ! -path '*/202001010002*' | sort > before
saves 'reboot -f -n'
find crash1 crash2 ! -path "*/$minute*" | sort > after
same before after
said "kdump-tools-save: $PWD/crash1/202001010001: not removed: vmcore.202001010000.nsplit is not part of a dump"
said "kdump-tools-save: removing $PWD/crash1/202001010002 because KDUMP_NUM_DUMPS is 1"
! grep '202001010000:\|2fa\|photos' err || fail 'it mentions a directory that is not a dump'
rm bin/date

# --- the configuration --------------------------------------------------------

# If the configuration does not name a codec, kdump-tools-save does; otherwise the configuration
# applies.
settings
echo 'sink-timeout = 50' > etc/nsplit.conf
saves 'reboot -f -n'
njoin -q --info --json crash1/*/vmcore.*.nsplit | grep -q '"codec": "lzo"' || fail 'it is not compressed'
settings
echo 'compress = raw' > etc/nsplit.conf
saves 'reboot -f -n'
njoin -q --info --json crash1/*/vmcore.*.nsplit | grep -q '"codec": "raw"' || fail 'compress is not obeyed'

# The dump level is that of kdump-tools, unless the configuration has one.
while IFS='|' read -r arguments setting want; do
	settings "$arguments"
	echo "$setting" > etc/nsplit.conf
	stub bin/nsplit <<- END
		printf '%s\n' "\$*" | sed 's| [^ ]*vmcore .*||; s|^--stats=[^ ]* ||' > $PWD/called
		exit 1
	END
	saves 'kdump-tools start'
	[ "$(cat called)" = "$want" ] || fail "$arguments, $setting: nsplit was called with $(cat called)"
	sh save check 2> err || :
	[ "$(sed 's/ -j[0-9]*$//' called)" = "--check-params $want" ] ||
		fail "$arguments, $setting: checked with $(cat called)"
done <<- 'END'
	||-c -d 31
	MAKEDUMP_ARGS="-F -cd 17,31 --message-level 7"||-c -d 31
	|stripe = yes|-c
	MAKEDUMP_ARGS=||-c -d 31
	|dump-level = 16|-c
	|exclude = free|-c
	|compress = raw|-d 31
END
# Where the level is among the options: tests/cli/nsplit-check-files.sh has the same cases.
while IFS='|' read -r options level; do
	settings "MAKEDUMP_ARGS=\"$options\""
	stub bin/nsplit <<- END
		printf '%s\n' "\$*" | sed 's|^--check-params ||; s| /.*||' > $PWD/called
		exit 1
	END
	sh save check 2> err || :
	[ "$(cat called)" = "-c${level:+ -d $level}" ] || fail "$options: nsplit was called with $(cat called)"
done <<- 'END'
	-c -d 17|17
	-F -cd 17,31 --message-level 7|31
	-d1|1
	-ld017|17
	-cd 31|31
	-cd31|31
	-cd17,31|31
	-c  -d  31|31
	-d 31 -ld 17|17
	-cx vmlinux-d5 -d 17|17
	-xvmlinux-d5|
	-x -d31|
	-cL 2G -d 17|17
	-L -d17 -cd31|31
	-l --message-level 31|
	--num-threads 4 -d 17|17
	--dump-dmesg|
	-c -d 0|
	-c -d 32|
	-c -d|
	-c|
END
rm bin/nsplit

# With a filter, the member cannot be read here, and the log is not saved as plain text.
settings
echo 'filter = tr a-z n-za-m > "$FILE"' > etc/nsplit.conf
saves 'reboot -f -n'
absent crash?/*/dmesg.* crash?/*/vmcore-incomplete
for number in 1 2; do
	tr a-z n-za-m < "$(one crash$number/*/vmcore.*.nsplit)" > member$number
done
expect_status 0 njoin -q -o copy member1 member2
same vmcore copy
rm copy

# --- nsplit fails -------------------------------------------------------------

# With any exit status, a complete member is kept as a dump; an empty one is removed together with
# its directory.
for status in 1 2 137; do
	settings
	stub bin/nsplit <<- END
		$builddir/nsplit "\$@" || exit
		for last; do :; done
		truncate -s 4K "\$last"
		exit $status
	END
	saves 'kdump-tools start'
	said "kdump-tools-save: not saved: nsplit failed (exit status $status)"
	said 'kdump-tools-save: falling back to kdump-tools'
	[ -s "$(one crash1/*/vmcore-partial.*.nsplit)" ] || fail 'it is empty'
	absent crash2/* crash?/*/vmcore-incomplete
done

# With status 0, an incomplete member stays, since its data is on the other outputs.
settings
stub bin/nsplit <<- END
	for last; do :; done
	$builddir/nsplit "\$@" && truncate -s 4K "\$last"
END
saves 'reboot -f -n'
said "kdump-tools-save: $(ls -d "$PWD"/crash2/*)/vmcore-incomplete: incomplete; its data was rewritten to the other outputs"

# An incomplete member with records is kept.
settings MAKEDUMP_ARGS=-c
stub bin/nsplit <<- END
	$builddir/nsplit --stripe --chunksize=64K "\$@" || exit
	for last; do :; done
	truncate -s -4K "\$last"
	exit 137
END
saves 'kdump-tools start'
one crash2/*/vmcore-partial.*.nsplit > partial
said "kdump-tools-save: kept $PWD/$(cat partial), which is incomplete"
rm partial

# Only unreadable pages are missing: kdump-tools does not run.
settings
stub bin/nsplit <<- END
	$builddir/nsplit "\$@" && exit 3
END
saves 'reboot -f -n'
one crash1/*/vmcore-partial.*.nsplit > partial

# --- disks --------------------------------------------------------------------

# A relative path, and a directory whose disk is missing, behind a symbolic link.
settings
ln -s "$PWD/mnt/disk3/crash" link
echo "NSPLIT_DIRECTORIES='crash2 $PWD/link'" > etc/default/nsplit-kdump
unit=$(printf '%s' "$PWD/mnt/disk3" | sed 's|^/||; s|/|-|g').mount
echo "$unit inactive /run/generator/$unit" > units
saves 'reboot -f -n'
said 'kdump-tools-save: crash2: skipped: not an absolute path'
said "kdump-tools-save: $PWD/link: skipped: its file system is not mounted ($unit)"
absent crash2/* mnt

# --- the check ----------------------------------------------------------------

# The tools that it needs, except systemd.
mkdir -p tools
for tool in sh sed grep cat stat sort find date mkdir rm rmdir ln nproc readlink; do
	ln -s "$(command -v $tool)" tools/
done
sed "s|^PATH=.*|PATH=$PWD/tools|" save > no-systemd

# checked STATUS [TEXT]: the check ends with STATUS and prints TEXT
checked() {
	expect_status "$1" timeout -s KILL 60 sh save check
	expect_err "${2-}"
}

settings MAKEDUMP_ARGS=-c
checked 0
rm sbin/kdump-config
checked 1 'kdump-tools-save: kdump-tools is not installed'
: | stub sbin/kdump-config
settings MAKEDUMP_ARGS=-c USE_KDUMP=0
checked 1 "kdump-tools-save: USE_KDUMP is 0 in $PWD/etc/default/kdump-tools, so kdump-tools loads no capture kernel; set it to 1"

# The space of dumps that will be removed does not count as free; this is mentioned if nsplit finds
# a problem.
settings MAKEDUMP_ARGS=-c KDUMP_NUM_DUMPS=2
for old in 202001010000 202001010001; do
	mkdir crash1/$old
	: > crash1/$old/dump.$old
done
checked 0
stub bin/nsplit <<- 'END'
	exit 1
END
checked 1 "kdump-tools-save: $PWD/crash1: the oldest of 2 dumps will be removed before the next capture; their space is not counted as free"

# --- missing requirements -------------------------------------------------------

# Called by hand in the running system: the missing program is named, and nothing is changed.
mv bin/systemctl bin/systemd-escape .
for wanted in check enable; do
	settings
	# This machine's systemd must not be found.
	expect_status 1 env PATH=/nowhere "$(command -v sh)" no-systemd $wanted
	expect_err 'kdump-tools-save: systemd is required, but systemctl is not installed'
done
absent etc/systemd
mv etc/init.d/kdump-tools kdump-tools
expect_status 1 sh no-systemd save
expect_err 'kdump-tools-save: systemd is required, but systemctl is not installed
kdump-tools-save: kdump-tools is not installed, so no dump is saved'
settings USE_KDUMP=0
expect_status 1 sh save save
expect_err 'kdump-tools-save: kdump-tools is not installed, so no dump is saved'
mv kdump-tools etc/init.d/
mv systemctl systemd-escape bin/
# Installed, but not running, as in a chroot.
mv bin/systemctl .
stub bin/systemctl <<- 'END'
	echo "System has not been booted with systemd as init system (PID 1). Can't operate." >&2
	exit 1
END
settings
checked 1 'kdump-tools-save: systemd does not run here, so the outputs cannot be checked'
absent crash1/*
mv systemctl bin/

# A file system that was mounted by hand is not mounted after a crash.
settings MAKEDUMP_ARGS=-c
unit=$(printf '%s' "$PWD/crash2" | sed 's|^/||; s|/|-|g').mount
echo "$unit active" > units
checked 1 "kdump-tools-save: $PWD/crash2: its file system is mounted now but is not in $PWD/etc/fstab ($unit)"
echo "$unit active /run/systemd/generator/$unit" > units
checked 0

# As many threads as the capture kernel has CPUs, unless nsplit.conf sets their number.
stub bin/nproc <<- 'END'
	echo 8
END
stub bin/nsplit <<- END
	printf '%s ' "\$@" > $PWD/asked
END
unit=systemd.unit=kdump-tools-dump.service
for words in '|1' "irqpoll nr_cpus=4 $unit|4" "$unit irqpoll|8"; do
	echo "KDUMP_CMDLINE_APPEND='${words%|*}'" >> etc/default/kdump-tools
	checked 0
	grep -q " -j${words#*|} " asked || fail "$words: $(cat asked)"
done
echo 'threads = 3' > etc/nsplit.conf
checked 0
! grep -q ' -j' asked || fail "threads is not obeyed: $(cat asked)"

# --- a disk that hangs --------------------------------------------------------

# Neither njoin nor sync is waited for.
settings
stub bin/njoin <<- END
	case \$* in *crash2*) echo \$\$ >> $PWD/hanging && exec sleep 300 ;; esac
	exec $builddir/njoin "\$@"
END
stub bin/sync <<- END
	[ \$# -gt 0 ] || { echo \$\$ >> $PWD/hanging && exec sleep 300; }
END
sed -i 's|^step_seconds=60|step_seconds=5|' save
saves 'reboot -f -n'
said "kdump-tools-save: $(ls -d "$PWD"/crash2/*): no answer within 5 seconds; continuing without it"
said 'kdump-tools-save: all file systems: no answer within 5 seconds; continuing without it'
one crash1/*/vmcore.*.nsplit > saved
