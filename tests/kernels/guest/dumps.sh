# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the capture kernel: writes the dump that crash opens, nsplit --format=kdump -d 31, to a disk and through a pipe to
# another one, with one thread and with four.  The host judges them.

through_pipe() {
	threads=$1
	shift
	nsplit -q -c "-j$threads" -d 31 --format=kdump /proc/vmcore - | dd "of=$1" bs=1M iflag=fullblock conv=fsync
}

for threads in 1 4; do
	try dump-file-$threads nsplit -qf -c "-j$threads" -d 31 --format=kdump /proc/vmcore /disk/file$threads
	try dump-pipe-$threads through_pipe $threads /disk/pipe$threads
done
