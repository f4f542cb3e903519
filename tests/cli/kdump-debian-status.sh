#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kdump-tools-save in the running system: what it says without a command, enable and disable with a systemd
# that runs and in an image, and what status says of each setting that decides whether nsplit is called.
# shellcheck source=tests/cli/kdump-debian-lib.sh
. "${srcdir:?}/tests/cli/kdump-debian-lib.sh"

head -c 300K /dev/urandom > vmcore
defaults=$PWD/etc/default/kdump-tools
service=etc/systemd/system/kdump-tools-dump.service.d/nsplit.conf

# --- the command line -----------------------------------------------------------

# Without a command, nothing is saved or changed in the running system, which has no /proc/vmcore, or an
# empty one.  kdump-debian.sh has what happens in the capture kernel.
mv vmcore memory
settings
rm -f ended
expect_status 2 sh save
: > vmcore
expect_status 2 sh save
grep -q '^Usage: kdump-tools-save COMMAND$' err || fail "it says: $(cat err)"
absent ended crash1/* etc/systemd
mv memory vmcore
expect_status 0 sh save --help
grep -q '^Usage: kdump-tools-save COMMAND$' out || fail "it prints: $(cat out)"
expect_status 2 sh save state
expect_err 'kdump-tools-save: state: unknown command; use status, check, enable, disable or save'
absent ended crash1/*

# --- enable and disable ---------------------------------------------------------

# The files that the links lead to.
mkdir -p share/kdump/debian sys
touch share/kdump/debian/save.conf share/kdump/debian/check.conf

# in_image COMMAND: with a systemctl that does not reach systemd
in_image() {
	mv bin/systemctl systemctl
	stub bin/systemctl <<- 'END'
		echo "System has not been booted with systemd as init system (PID 1). Can't operate." >&2
		exit 1
	END
	"$@"
	mv systemctl bin/systemctl
}

# In an image, everything is enabled and the exit status is 0; kdump-tools may follow later.
settings
in_image expect_status 0 sh save enable
expect_err "kdump-tools-save: nsplit is enabled; systemd does not run here, so run '$PWD/save check' after the next boot"
[ -e $service ] || fail 'it is not enabled'
[ -e etc/systemd/system/kdump-tools.service.d/nsplit.conf ] || fail 'it is not checked at each boot'
in_image expect_status 0 sh save disable
expect_err ''
absent etc/systemd/system/*
rm sbin/kdump-config
in_image expect_status 0 sh save enable
expect_err "kdump-tools-save: kdump-tools is not installed
kdump-tools-save: nsplit is enabled; systemd does not run here, so run '$PWD/save check' after the next boot"
in_image expect_status 0 sh save disable
: | stub sbin/kdump-config
# Some versions of systemctl succeed in a chroot, and print nothing.
mv bin/systemctl systemctl
: | stub bin/systemctl
expect_status 0 sh save enable
expect_err "kdump-tools-save: nsplit is enabled; systemd does not run here, so run '$PWD/save check' after the next boot"
mv systemctl bin/systemctl

# With systemd, it is checked at once.
settings MAKEDUMP_ARGS=-c
expect_status 0 sh save enable
expect_err ''
settings MAKEDUMP_ARGS=-c USE_KDUMP=0
expect_status 1 sh save enable
expect_err "kdump-tools-save: USE_KDUMP is 0 in $defaults, so kdump-tools loads no capture kernel; set it to 1
kdump-tools-save: nsplit is enabled; the check found the problems above"
expect_status 0 sh save disable
absent etc/systemd/system/*

# --- status: what nsplit does ---------------------------------------------------

# status_is STATUS OUT [ERR]: it ends with STATUS and prints OUT
status_is() {
	expect_status "$1" timeout -s KILL 60 sh save status
	printf '%s\n' "$2" > want
	cmp -s want out || fail "it prints: $(cat out)"
	expect_err "${3-}"
}

settings
echo 1 > sys/kexec_crash_loaded
status_is 3 "nsplit is not enabled, so it does not save the dump of a crash.
To enable it: $PWD/save enable"

# A link whose target was removed has no effect, as after make uninstall.
expect_status 0 sh save enable
mv share/kdump/debian/save.conf save.conf
status_is 3 "nsplit is not enabled, so it does not save the dump of a crash.
To enable it: $PWD/save enable"
mv save.conf share/kdump/debian/save.conf

enabled="nsplit saves the dump of a crash.
It writes a member to a new directory in $PWD/crash1.
It writes a member to a new directory in $PWD/crash2."
last='If nsplit fails, kdump-tools saves the dump with makedumpfile.'
status_is 0 "$enabled
It leaves out the pages of dump level 31, the default of kdump-tools.
$last"

# Which setting decides what is left out.
while IFS='|' read -r arguments setting want; do
	settings "$arguments"
	echo "$setting" > etc/nsplit.conf
	status_is 0 "$enabled
$(printf '%s\n' "$want" | sed "s|FILE|$PWD/etc/nsplit.conf|; s|DEFAULTS|$defaults|")
$last"
done <<- 'END'
	MAKEDUMP_ARGS="-l -d 17,23"|compress = raw|It leaves out the pages of dump level 23, from MAKEDUMP_ARGS in DEFAULTS.
	MAKEDUMP_ARGS="-c -d 0"||It leaves out no pages, because MAKEDUMP_ARGS in DEFAULTS has no dump level from 1 to 31.
	MAKEDUMP_ARGS="-d 1"|dump-level = 16|Which pages it leaves out, FILE says: dump-level = 16
	|exclude = free,cache|Which pages it leaves out, FILE says: exclude = free,cache
	|stripe = yes|It leaves out no pages, because FILE says stripe = yes.
END

# Further outputs, which may contain what printf or echo would interpret.
settings
cat > etc/nsplit.conf << 'END'
also = |cat > a\n%s
fallback = /mnt/b
END
status_is 0 "$enabled
It also writes to |cat > a\\n%s, an output of $PWD/etc/nsplit.conf.
When no other output accepts data, it writes to /mnt/b, a fallback of $PWD/etc/nsplit.conf.
It leaves out the pages of dump level 31, the default of kdump-tools.
$last"

# It changes nothing: not even a directory is created.
settings
rmdir crash1
expect_status 0 sh save status
absent crash1
mkdir crash1

# --- status: what prevents it ---------------------------------------------------

# prevented MESSAGE: this is why nsplit is not called; the check finds it as well
prevented() {
	status_is 1 'nsplit is enabled, but does not save the dump of a crash.' "kdump-tools-save: $1"
	expect_status 1 timeout -s KILL 60 sh save check
	said "kdump-tools-save: $1"
}

settings MAKEDUMP_ARGS=-c USE_KDUMP=0
prevented "USE_KDUMP is 0 in $defaults, so kdump-tools loads no capture kernel; set it to 1"
settings MAKEDUMP_ARGS=-c
rm sbin/kdump-config
prevented 'kdump-tools is not installed'
: | stub sbin/kdump-config
for target in NFS=host:/crash SSH=dumps@host FTP=host:/crash; do
	settings MAKEDUMP_ARGS=-c $target
	prevented "NFS, SSH or FTP is set in $defaults: kdump-tools saves the dump"
done

# The capture kernel must boot into the service that enable changes.
word=systemd.unit=kdump-tools-dump.service
settings MAKEDUMP_ARGS=-c 'KDUMP_CMDLINE_APPEND="nr_cpus=1 irqpoll"'
prevented "KDUMP_CMDLINE_APPEND in $defaults lacks $word, so kdump-tools saves the dump; add it"
for setting in KDUMP_CMDLINE_APPEND="\"nr_cpus=1 $word irqpoll\"" KDUMP_CMDLINE="\"$word quiet\""; do
	settings MAKEDUMP_ARGS=-c "$setting" 'KDUMP_NUM_DUMPS=1'
	expect_status 0 sh save status
	expect_err ''
done

# Another file below /etc/systemd may change that service back.
settings MAKEDUMP_ARGS=-c
echo '{ path=/etc/init.d/kdump-tools ; argv[]=/etc/init.d/kdump-tools start ; ignore_errors=no }' > started
prevented "kdump-tools-dump.service does not call $PWD/save; see systemctl cat kdump-tools-dump.service"
echo "{ path=$PWD/save ; argv[]=$PWD/save save ; ignore_errors=no }" > started
expect_status 0 sh save status
expect_status 0 sh save check
rm started

# Only status asks whether a capture kernel is loaded, since nsplit does so for the check.  On PowerPC, the
# firmware may save the memory.
echo 0 > sys/kexec_crash_loaded
status_is 1 'nsplit is enabled, but does not save the dump of a crash.' \
	'kdump-tools-save: no capture kernel is loaded, so a crash makes no dump; run systemctl restart kdump-tools'
echo 0 > sys/kexec_crash_size
status_is 1 'nsplit is enabled, but does not save the dump of a crash.' \
	'kdump-tools-save: no memory is reserved for a capture kernel (crashkernel=), so a crash makes no dump; kdump-tools reserves it at the next boot'
rm sys/kexec_crash_size
echo 1 > sys/fadump_registered
expect_status 0 sh save status
rm sys/fadump_registered

# In an image, the file is that of the machine on which the image is made.
in_image expect_status 0 sh save status
grep -qx 'systemd does not run here, so it is unknown whether a capture kernel will be loaded.' out ||
	fail "it prints: $(cat out)"
# A user whom systemd does not answer, since there is no D-Bus, is in the running system nevertheless.
stub bin/id <<- 'END'
	echo 1000
END
mkdir -p run/systemd/system
in_image expect_status 1 sh save status
said 'kdump-tools-save: no capture kernel is loaded, so a crash makes no dump; run systemctl restart kdump-tools'
rm -r bin/id run/systemd
mkdir -p tools
for tool in sh cat grep sed readlink tail id; do
	ln -s "$(command -v $tool)" tools/
done
sed "s|^PATH=.*|PATH=$PWD/tools|" save > no-systemd
expect_status 1 env PATH=/nowhere "$(command -v sh)" no-systemd status
expect_err 'kdump-tools-save: systemd is required, but systemctl is not installed'

# --- under the name of makedumpfile ---------------------------------------------

expect_status 0 sh save disable
echo 1 > sys/kexec_crash_loaded
rm bin/makedumpfile
ln -s "$builddir/nsplit" bin/makedumpfile
settings 'MAKEDUMP_ARGS="-l -d 23"' SSH=dumps@host
status_is 0 "nsplit saves the dump of a crash under the name makedumpfile, where kdump-tools says.
It leaves out the pages of dump level 23, from MAKEDUMP_ARGS in $defaults."
settings USE_KDUMP=0
status_is 1 'makedumpfile is nsplit here, but no dump of a crash is saved.' \
	"kdump-tools-save: USE_KDUMP is 0 in $defaults, so kdump-tools loads no capture kernel; set it to 1"
