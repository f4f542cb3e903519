# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the scripts in a machine report to the host, one line each on the second serial port, or
# on another that the kernel's command line names; tests/kernel/host/checks.sh reads it.

# report WORD TEXT...: writes one line
report() {
	printf '%s\n' "$*" | awk '{ printf "%s%s", (NR > 1 ? " / " : ""), $0 } END { print "" }' \
		> "${report_port:-/dev/ttyS1}"
}

# value NAME VALUE: a value for the host to compare
value() {
	report "value $*"
}

note() {
	report "note $*"
}

# try WHAT COMMAND...: a check that passes if COMMAND succeeds
try() {
	try_what=$1
	shift
	if "$@" > /tmp/said 2>&1; then
		report "ok $try_what"
	else
		report "failed $try_what: $* says: $(tail -n 5 /tmp/said)"
	fi
}

# same WHAT HAVE WANT
same() {
	if [ "$2" = "$3" ]; then
		report "ok $1"
	else
		report "failed $1: is '$2' and not '$3'"
	fi
}

# quiet_exit STATUS COMMAND...: succeeds if COMMAND ends with STATUS and prints nothing
quiet_exit() {
	quiet_want=$1
	quiet_got=0
	shift
	"$@" > /tmp/quiet 2>&1 || quiet_got=$?
	[ "$quiet_got" -eq "$quiet_want" ] && [ ! -s /tmp/quiet ] && return
	echo "status $quiet_got:"
	tail -n 5 /tmp/quiet
	return 1
}

# keep_vmcore: if the scenario has a disk for it, copies /proc/vmcore there, for the host to compare with
keep_vmcore() {
	case " $(cat /proc/cmdline) " in
	*' keep_vmcore '*) ;;
	*) return 0 ;;
	esac
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ ! -e /dev/disk/by-id/virtio-whole ] || break
		sleep 1
	done
	# Otherwise this would make a file in memory.
	[ -b /dev/disk/by-id/virtio-whole ] && cat /proc/vmcore > /dev/disk/by-id/virtio-whole
}

# now: prints the uptime in hundredths of a second
now() {
	cut -d ' ' -f 1 /proc/uptime | tr -d .
}

# seconds COMMAND...: prints how long it takes, including a sync
seconds() {
	seconds_from=$(now)
	"$@" > /tmp/seconds 2>&1 || report "failed $*: $(tail -n 5 /tmp/seconds)"
	sync
	awk -v n="$(($(now) - seconds_from))" 'BEGIN { printf "%.2f\n", n / 100 }'
}

# median NUMBER...
median() {
	printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"
}

# rates FILE: reports how fast it can be read, including mapping and unmapping, compared with a
# memcpy of the same amount of ordinary memory.  A window is mapped at a time; one memcpy copies a
# piece.
rates() {
	while read -r window piece; do
		mapped rate "$1" $((window * 1024)) $((piece * 1024)) > /tmp/rate
		read -r mapped plain < /tmp/rate
		note "$1: windows of $window KiB, pieces of $piece KiB:" \
			"mapped $((mapped / 1000000)) MB/s, memcpy $((plain / 1000000)) MB/s:" \
			"$((mapped * 100 / plain)) %"
	done << END
1024 256
4096 256
16384 256
4096 4096
16384 16384
END
}
