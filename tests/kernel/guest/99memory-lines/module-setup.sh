#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For the scenario "memory-dracut": a dracut module that reports how much memory is available where kdump
# would call the collector, and ends the machine.

check() {
	return 255
}

depends() {
	echo base udev-rules
}

install() {
	inst_hook cmdline 50 "$moddir/root.sh"
	inst_hook pre-mount 50 "$moddir/memory.sh"
	inst "$moddir/../../lib.sh" /lib/test-lib.sh
	inst_multiple awk cat stty sync
}
