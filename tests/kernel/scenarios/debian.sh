# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A Debian (host/debian.sh) with kdump-tools, which saves with nsplit (kdump/debian): it boots, crashes, boots the
# capture kernel on the same disk, saves to /var/crash and to a second disk, reboots, and the dump
# is compared with the memory.  Then again with a missing second disk, and without leaving pages out.

# What njoin made of the members, there, and /proc/vmcore.
debian_compare() {
	if [ $dump_level -ne 0 ]; then
		debian_compare_kept
		return
	fi
	same "SHA-256 of the core that njoin made, and of /proc/vmcore" "$(value joined)" \
		"$(value sha256)"
	[ -z "$(value sha256)" ] || [ "$(value joined)" != "$(value sha256)" ] ||
		printf '        /proc/vmcore %s, joined %s: identical\n' \
			"$(value sha256 | cut -c 1-16)" "$(value joined | cut -c 1-16)"
}

debian_compare_kept() {
	try 'the memory was kept' machine_file root nsplit-test/core core
	try 'njoin made a core' machine_file root var/tmp/core joined
	same 'SHA-256 of the memory that was kept' "$(sha256sum < core)" "$(value sha256)  -"
	try 'the pages that are kept are those of /proc/vmcore, and the others are zeros' \
		"$builddir/tests/kernels/page_joined" core $dump_level joined
	printf '        %s\n' "$checks_said"
	rm -f core joined
}

debian_needs
debian_base
for second_disk in present missing; do
	[ -z "${NSPLIT_SHORT-}" ] || [ $second_disk = present ] || continue
	dump_level=31
	[ $second_disk = present ] || dump_level=0
	printf '        --- the second disk is %s, dump level %s\n' $second_disk $dump_level
	debian_disks debian.sh debian_settings
	debian_run $second_disk
	debian_compare
	rm -f ./*.img initrd vmlinuz
done
