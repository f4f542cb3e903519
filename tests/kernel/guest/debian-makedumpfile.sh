# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the Debian machine, as a service, at each boot of the first kernel: makes makedumpfile a link to nsplit
# and crashes; then examines the dump that kdump-tools has saved, tells it to use ssh, and crashes again.

set -eu
PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
program=/usr/bin/makedumpfile
original=$program.distrib
. /nsplit-test/lib.sh

crash() {
	same 'kdump-tools has loaded the capture kernel' "$(kdump-config status)" \
		'current state   : ready to kdump'
	sync
	echo c > /proc/sysrq-trigger
}

first() {
	try 'the original program is kept beside the link' \
		dpkg-divert --local --rename --divert $original --add $program
	ln -s /usr/local/bin/nsplit $program
	same 'makedumpfile is nsplit' "$(makedumpfile -v | sed -n '1s/.*(\(nsplit\) .*/\1/p')" nsplit
	crash
}

# Sends the next dump to this machine itself.
use_ssh() {
	ssh-keygen -q -t rsa -N '' -f /root/.ssh/kdump_id_rsa
	cat /root/.ssh/kdump_id_rsa.pub >> /root/.ssh/authorized_keys
	printf 'StrictHostKeyChecking no\n' > /root/.ssh/config
	printf 'SSH="root@127.0.0.1"\n' >> /etc/default/kdump-tools
	sed -i 's/^KDUMP_COMPRESSION=.*//' /etc/default/kdump-tools
	printf '[Service]\nExecStartPre=/bin/sh -c "ip link set lo up; mkdir -p /run/sshd; /usr/sbin/sshd"\n' \
		> /usr/local/lib/systemd/system/kdump-tools-dump.service.d/ssh.conf
	mkdir /nsplit-test/first
	mv /var/crash/* /nsplit-test/first/
}

# look KIND FLATTENED LOG: examines the dump and the log that were saved
look() {
	value "sha256-$1" "$(cat /nsplit-test/reference)"
	mv /nsplit-test/core "/nsplit-test/core-$1"
	note "$(ls -l "$2" "$3" 2>&1)"
	same "$1: the log ends with the panic" "$(grep -o 'Kernel panic.*' "$3")" \
		'Kernel panic - not syncing: sysrq triggered crash'
	try "$1: the original makedumpfile makes a file of it" sh -c "$original -R /var/tmp/$1 < $2"
	try "$1: it finds the kernel log in it" $original --dump-dmesg "/var/tmp/$1" "/var/tmp/$1.dmesg"
	same "$1: which ends with the panic" "$(grep -o 'Kernel panic.*' "/var/tmp/$1.dmesg")" \
		'Kernel panic - not syncing: sysrq triggered crash'
	try "$1: it filters it again" $original -l -d 31 "/var/tmp/$1" "/var/tmp/$1.again"
	try "$1: makedumpfile -R of nsplit makes a file of it" sh -c "makedumpfile -R /var/tmp/$1.ours < $2"
	for dump in "/var/tmp/$1" "/var/tmp/$1.ours"; do
		try "$1: njoin --verify succeeds" njoin -q --verify "$dump"
	done
	rm -f "/var/tmp/$1.again" "/var/tmp/$1.ours"
}

stty -F /dev/ttyS1 raw -echo 115200
boot=$(cat /nsplit-test/boot 2> /dev/null) || boot=first
case $boot in
first)
	echo second > /nsplit-test/boot
	first
	;;
second)
	echo third > /nsplit-test/boot
	set -- /var/crash/2*/dump.*
	same 'gzip: the name of the dump' "${1##*.}" gz
	gunzip -c "$1" > /var/tmp/flat
	look gzip /var/tmp/flat "${1%/*}/dmesg."*
	rm /var/tmp/flat
	use_ssh
	crash
	;;
third)
	set -- /var/crash/*/dump.*
	look ssh "$1" "${1%/*}/dmesg."*
	try 'the link is removed' rm $program
	try 'and the original program is back' dpkg-divert --local --rename --remove $program
	same 'makedumpfile is the original' "$(makedumpfile -v | sed -n '1s/.*nsplit.*/nsplit/p')" ''
	;;
esac
report end
sync
poweroff -f
