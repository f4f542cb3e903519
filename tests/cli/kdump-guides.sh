#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of doc/kdump.md, doc/fleet.md and of the guides in kdump/, as they are printed there: those of nsplit and
# njoin, what a support desk receives, and the script that removes old dumps.  What is not run is in the
# list below, with the reason.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need bash readelf awk xargs touch
make_core log

# block FILE TEXT: prints the indented block of FILE that contains TEXT
block() {
	awk -v text="$2" '
		function flush() { if (index(all, text)) { printf "%s", all; found = 1 } all = "" }
		/^    / { all = all substr($0, 5) "\n"; next }
		/^$/ && all != "" { all = all "\n"; next }
		{ flush() }
		END { flush(); exit !found }' "$srcdir/$1" | grep . || fail "$1 has no block with $2"
}

# --- nsplit and njoin ---------------------------------------------------------

# What the lines of the guides begin with, if they are not run here.
cat > list << 'END'
apt-get	installs packages; make check-packages does so
dnf	installs packages
zypper	installs packages
kdumpctl	of kdump-utils, which Debian has not
grubby	of Fedora and RHEL
mkdumprd	of SUSE's kdump
mokutil	changes the firmware's settings
kexec	loads a capture kernel; make check-kernel does so
update-initramfs	writes to the system; kdump-initramfs-tools.sh runs the hook
lsinitrd	kdump-dracut-makedumpfile.sh runs it
ln -s /usr/local	writes to the system
cp /usr/local	writes to the system
systemctl	enables a unit; make check-packages does so
/usr/libexec/nsplit/nsplit-join	kdump-join.sh runs it
echo	writes to /etc; kdump-initramfs-tools.sh has these settings
/usr/libexec/nsplit/kdump-tools-save	kdump-debian-status.sh runs it
core_collector nsplit	a setting; kdump-dracut-lines.sh and kdump-dracut-module.sh
KDUMP_TRANSFER=	a setting; kdump-suse.sh
KDUMP_CMDLINE_APPEND=	a setting; kdump-debian-status.sh
auto_reset_crashkernel	a setting of kdump-utils
nr_cpus=	a part of a setting
LABEL=	a line of /etc/fstab
/mnt/disk1/crash	a line of nsplit-disks.conf; examples-disks.sh
/dev/disk/by-id/	likewise
compress =	a line of nsplit.conf; nsplit-config.sh
dump-level =	likewise
threads =	likewise
mem-limit =	likewise
fallback =	likewise
sink-timeout =	likewise
[Service]	a setting of systemd
ExecStartPost=	likewise
crashkernel =	a formula
nsplit: ok:	what nsplit prints
nsplit: problem:	likewise
nsplit: not checked:	likewise
nsplit: drill:	likewise; nsplit-drill.sh
nsplit --estimate	is about this machine; nsplit-estimate.sh tests it
sed 's/vmcore-incomplete$	see below
...	likewise
xargs -P 20	check-machines.sh runs it
jq	likewise
app7	what these print
app8	likewise
db17:	likewise
db18:	likewise
web042:	likewise
web113:	likewise
nsplit: /etc/nsplit.conf:	what nsplit prints
TASK	what Ansible prints
fatal:	likewise
nsplit saves	what kdump-tools-save prints; kdump-debian-status.sh
It 	likewise
If nsplit fails	likewise
(nsplit --version	see below
#	see below: the script that removes old dumps
cd /var/crash	likewise
ls -dt	likewise
njoin --compress=zlib	see below
njoin --verify FILE.kdump-unverified	kdump-join.sh: nsplit-join verifies what it has written
END

# listed LINE: its beginning is in the list
listed() {
	while IFS='	' read -r beginning _; do
		case $1 in "$beginning"*) return ;; esac
	done < list
	return 1
}

# here LINE: prints it with files of this directory and a small size
here() {
	printf '%s\n' "$1" | sed -e 's|/proc/vmcore|ring|' -e 's|/mnt/||g' -e 's|/var/crash|crash|g' -e 's|DIR/|crash/|' \
		-e 's|OUTPUT\.\.\.|crash/a crash/b|' -e 's|FILE\.\.\.|disk1/a disk2/b|' \
		-e 's|MEMBER\.\.\.|disk1/a disk2/b|' -e 's|FILE\.kdump[-a-z]*|vmcore.kdump|' \
		-e 's|/dev/disk/by-id/|dev/|' -e 's|-s 1T|-s 1M|'
}

# made_set OPTION VALUE... MEMBER...: makes the members that a command of njoin names; each option has a value
made_set() {
	while case $1 in --*=*) true ;; -*) shift ;; *) false ;; esac; do
		shift
	done
	rm -rf crash disk1 disk2 dev vmcore.kdump
	for member; do
		mkdir -p "${member%/*}"
	done
	nsplit -q -c --stripe --chunksize=64K ring "$@" 2> err || fail "$*: $(cat err)"
}

# run LINE: a command of nsplit, or one that prepares it
run() {
	rm -rf crash disk1
	mkdir crash disk1
	printf '%s\n' "$1" > guide.sh
	exited=0
	bash guide.sh > out 2> err || exited=$?
	# Of these, 1 says something of this machine.
	case $exited,$1 in
	0,* | 1,*--check-params* | 1,*--drill*) ;;
	*) fail "$1: $(cat err)" ;;
	esac
}

ran=0
for guide in "$srcdir/doc/kdump.md" "$srcdir/doc/fleet.md" "$srcdir"/kdump/*/README.md; do
	grep '^    ' "$guide" | sed -e ':a' -e '/\\$/{N;s/\\\n *//;ba' -e '}' -e 's/^    //' > lines
	while IFS= read -r line; do
		! listed "$line" || continue
		# It is about the kdump of this machine; nsplit-kdump-call.sh tests it.
		[ "$line" != 'nsplit --drill' ] || continue
		ran=$((ran + 1))
		translated=$(here "$line")
		case $line in
		njoin*)
			# Words.
			# shellcheck disable=SC2086
			made_set ${translated#njoin }
			printf '%s\n' "$translated" > guide.sh
			expect_status 0 bash guide.sh < /dev/null
			[ "$(head -c 5 vmcore.kdump)" = KDUMP ] || fail "$line: that is not a kdump-compressed dump"
			;;
		nsplit* | truncate*) run "$translated" < /dev/null ;;
		*) fail "${guide#"$srcdir/"}: neither run nor in the list: $line" ;;
		esac
	done < lines
done
[ $ran -ge 12 ] || fail "only $ran commands were run"
rm -rf crash disk1 disk2 vmcore.kdump

# --- to a support desk ----------------------------------------------------------

mkdir disk1 disk2
nsplit -c --stripe --chunksize=64K ring disk1/vmcore disk2/vmcore 2> err
block doc/kdump.md 'njoin --format=kdump -d 31' | sed 's|FILE\.\.\.|disk?/vmcore|' > guide.sh
expect_status 0 bash guide.sh
for codec in lzo zlib; do
	[ $codec = lzo ] || {
		have_codec zlib || break
		block doc/kdump.md 'njoin --compress=zlib' > guide.sh
		expect_status 0 bash guide.sh
		mv vmcore.zlib vmcore.kdump
	}
	[ "$(head -c 5 vmcore.kdump)" = KDUMP ] || fail 'that is not a kdump-compressed dump'
	njoin --info --json vmcore.kdump > info 2> err || fail "njoin does not read it: $(cat err)"
	grep -q "\"codec\": \"$codec\"" info || fail "its codec is not $codec: $(cat info)"
done

# The system's own files stay as they are, and need not exist.  The exit status is that of njoin --verify.
mkdir etc
echo 'dump-level = 31' > etc/nsplit.conf
block doc/kdump.md nsplit-report.txt |
	sed "s|FILE\.\.\.|disk?/vmcore|g; s|/etc/|$PWD/etc/|g" > guide.sh
expect_status 0 bash guide.sh
for part in "nsplit $(nsplit --version | sed -n '1s/.* //p')" 'dump-level = 31' 'BOOT_IMAGE\|root=\|/proc/cmdline' \
	'etc/kdump.conf' 'nsplit: \(ok\|problem\|not checked\): ' 'disk1/vmcore' 'disk2/vmcore'; do
	grep -q "$part" nsplit-report.txt || fail "it lacks $part: $(cat nsplit-report.txt)"
done
truncate -s 4K disk2/vmcore
! bash guide.sh || fail 'the damage is not found'
grep -q 'disk2/vmcore' nsplit-report.txt || fail "it says nothing of the damage: $(cat nsplit-report.txt)"

# --- the digest of a dump that kdump has renamed ----------------------------------

if nsplit --dry-run --digest ring new > out 2> err; then
	mkdir crash
	nsplit -q --digest --format=kdump ring crash/vmcore-incomplete > out 2> err || fail "nsplit: $(cat err)"
	mv crash/vmcore-incomplete crash/vmcore
	block kdump/dracut/README.md vmcore-incomplete.sha256 > guide.sh
	(cd crash && sh ../guide.sh && sha256sum -c vmcore.sha256) > out 2>&1 || fail "the digest of the new name: $(cat out)"
	rm -r crash
fi

# --- old dumps on Fedora --------------------------------------------------------

mkdir crash
block kdump/dracut/README.md 'cd /var/crash' | sed "s|/var/crash|$PWD/crash|" > keep-dumps
old=127.0.0.1-2025-01-02-03:04
for number in 1 2 3 4 5; do
	mkdir "crash/$old:0$number"
	: > "crash/$old:0$number/vmcore"
	touch -d "2025-01-02 03:04:0$number" "crash/$old:0$number"
done
# What is not a dump of kdump stays, however old it is; so does another machine's dump that is newer.
mkdir crash/2024-01-01-000000 crash/127.0.0.1-notes "crash/fe80::1-2025-02-02-03:04:05"
touch -d '2020-01-01' crash/2024-01-01-000000 crash/127.0.0.1-notes
touch -d '2025-02-02' "crash/fe80::1-2025-02-02-03:04:05"
expect_status 0 sh keep-dumps
(cd crash && printf '%s\n' *) | sort > left
printf '%s\n' "$old:04" "$old:05" 127.0.0.1-notes 2024-01-01-000000 fe80::1-2025-02-02-03:04:05 | sort > want
same want left
# With none to remove, nothing happens.
expect_status 0 sh keep-dumps
(cd crash && printf '%s\n' *) | sort > left
same want left
rm -r crash/*:*
sh keep-dumps 2> err || fail "without a dump, it fails: $(cat err)"
rm -r crash
! sh keep-dumps 2> err || fail 'it does not notice that the directory is missing'
absent crash
