#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of README.md, in blocks and in backquotes, and in EXAMPLES of each manual page, work as
# they are printed there; examples-mount.sh runs those that mount, and examples-disks.sh has
# nsplit-disks.conf.  What is not run is in the list below, with the reason.
# shellcheck source=tests/cli/examples-lib.sh
. "${srcdir:?}/tests/cli/examples-lib.sh"

cat > list << 'END'
dpkg-divert	renames a program of the system; make check-kernel SCENARIOS=debian-makedumpfile does so
unlink	removes the link before dpkg-divert
./quickstart	quickstart-demo.sh and quickstart-check.sh test it
insmod	loads a kernel module; make check-kernel does so
rmmod	unloads a kernel module; make check-kernel does so
make -C build install-strip	writes to the system; make distcheck installs and uninstalls
man man/nsplit.1	quickstart-demo.sh looks for the page
nsplit --estimate -C auto -d 31 /proc/vmcore /var/crash/vmcore	is about this machine, on which a dump need not fit
nsplit --estimate -c -j8 -d 31 '/mnt/disk{0..7}/a'	likewise; nsplit-estimate.sh tests it
njoin --dmesg	options without operands
njoin --info	options without operands
njoin --list	options without operands
njoin --salvage	options without operands
END

all_blocks > all
# A block without nsplit-mount.
while read -r block; do
	grep -q '^nsplit-mount' "$block" || printf '%s\n' "$block"
done < all > here
run_blocks < here

# --- the example of nsplit.conf ---------------------------------------------

# The first output fails, and so the dump goes to the other machine.
mkdir conf
manual_blocks "$srcdir/man/nsplit.conf.5" conf
[ -s conf/01 ] || fail 'nsplit.conf(5) has no example'
prepare conf/01
expect_status 0 nsplit --config="${examples_dir:?}/conf/01" proc/vmcore /dev/full
njoin -q -o copy hosts/host/a-*
same core copy
cd "$examples_dir" || exit
