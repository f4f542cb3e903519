#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For the scenario "dracut": a dracut module in place of 99kdumpbase, which is not in Debian.
# It has no part in how nsplit comes into the initramfs.

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
	# What kdump.sh there has from 99kdumpbase, and what this test reports with.
	inst_multiple awk cat cut date mkdir mount mv sed sha256sum stat stty sync tail umount
}
