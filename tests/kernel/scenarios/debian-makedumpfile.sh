# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A Debian (host/debian.sh) with kdump-tools, unmodified, and makedumpfile as a link to nsplit.  It crashes, its
# capture kernel saves a dump to /var/crash through gzip, and reboots; then once more, over ssh.  The dumps are read
# with makedumpfile's own program, and their pages are compared with those that njoin -d 31 takes of the memory.
#	make check-kernel SCENARIOS=debian-makedumpfile [VMLINUX=FILE]
# VMLINUX is that kernel with debug information; crash opens the dumps then.

debian_needs
debian_base
debian_disks debian-makedumpfile.sh debian_plain_settings
debian_run none
for kind in gzip ssh; do
	try "$kind: the memory was kept" machine_file root "nsplit-test/core-$kind" core
	try "$kind: makedumpfile -R made a dump" machine_file root "var/tmp/$kind" dump
	same "$kind: SHA-256 of the memory that was kept" "$(sha256sum < core)" "$(value "sha256-$kind")  -"
	try "$kind: njoin makes a dump of the memory" njoin -q --format=kdump --compress=zlib -d 31 -o want core
	try "$kind: its pages are the same" python3 -B "$srcdir/tests/cli/kdump-compare.py" dump want
	same "$kind: neither has any that the other lacks" "${checks_said#both *, }" 'first 0, second 0'
	printf '        %s\n' "$checks_said"
	[ -z "${VMLINUX-}" ] || {
		try "$kind: crash opens it" debian_crash "$VMLINUX" dump
		printf '        %s\n' "$checks_said"
	}
	rm -f core dump want
done
