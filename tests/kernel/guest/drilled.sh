# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the capture kernel: the capture that the drill has tried.

# of KEY: prints a number of the statistics
of() {
	sed -n "s/^ *\"$1\": \([0-9.]*\).*/\1/p" /tmp/stats | head -n 1
}

try 'nsplit saves the dump' quiet_exit 0 \
	nsplit -q -f -c -d 31 --stats=/tmp/stats /proc/vmcore /disk/out0 /disk/out1
kept=$(sed -n 's/^ *"kept": \([0-9]*\).*/\1/p' /tmp/stats | awk '{ n += $1 } END { printf "%.1f", n / 1048576 }')
value crash "$kept $(of seconds | awk '{ printf "%.1f", $1 }') $(of peak_memory | awk '{ printf "%.1f", $1 / 1048576 }')"
