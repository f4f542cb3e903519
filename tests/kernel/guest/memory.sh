# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the capture kernel: how much of its reserved memory is available, and how much nsplit takes
# with each line of /runs: codec, threads, outputs.

meminfo() {
	awk -v name="$1:" '$1 == name { printf "%.1f\n", $2 / 1024 }' /proc/meminfo
}

value booted yes
note "MemTotal $(meminfo MemTotal) MiB, MemAvailable $(meminfo MemAvailable) MiB," \
	"$(nproc) CPUs"
value total "$(meminfo MemTotal)"
value available "$(meminfo MemAvailable)"
while read -r codec threads outputs; do
	try "nsplit -C $codec -j$threads to $outputs" quiet_exit 0 nsplit -q -f -C "$codec" \
		-j "$threads" --stats=/tmp/stats /proc/vmcore "/disk/out{0..$((outputs - 1))}"
	peak=$(sed -n 's/^  "peak_memory": \([0-9]*\).*/\1/p' /tmp/stats)
	value "peak-$codec-$threads-$outputs" "$(awk -v n="$peak" \
		'BEGIN { printf "%.1f\n", n / 1048576 }')"
done < /runs
