#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For the scenario "dracut": a dracut module in place of 99kdumpbase, which is not in Debian.  It
# does not help nsplit to get into the initramfs.

check() {
	return 255
}

depends() {
	echo base udev-rules
}

install() {
	inst_hook cmdline 50 "$moddir/root.sh"
	inst_hook pre-mount 50 "$moddir/kdump.sh"
	inst "$NSPLIT_ETC/kdump.conf" /etc/kdump.conf
	inst "$moddir/../../lib.sh" /lib/test-lib.sh
	# What 99kdumpbase adds for kdump.sh, and what this test needs for its report.
	inst_multiple awk cat cut date mkdir mount mv sed sha256sum stat stty sync tail umount
}
