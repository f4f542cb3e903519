# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A Debian 12 with kdump-tools, which saves with nsplit (kdump/debian): it boots, crashes, boots the
# capture kernel on the same disk, saves to /var/crash and to a second disk, reboots, and the dump
# is compared with the memory.  Then again with a missing second disk.

debian_needs
debian_base
for second_disk in present missing; do
	[ -z "${NSPLIT_SHORT-}" ] || [ $second_disk = present ] || continue
	printf '        --- the second disk is %s\n' $second_disk
	debian_disks
	debian_run $second_disk
	same "SHA-256 of the core that njoin made, and of /proc/vmcore" "$(value joined)" \
		"$(value sha256)"
	[ -z "$(value sha256)" ] || [ "$(value joined)" != "$(value sha256)" ] ||
		printf '        /proc/vmcore %s, joined %s: identical\n' \
			"$(value sha256 | cut -c 1-16)" "$(value joined | cut -c 1-16)"
	rm -f ./*.img initrd vmlinuz
done
