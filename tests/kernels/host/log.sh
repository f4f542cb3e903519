# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel log of a core against the kernel's own word, and in captures that ended early.

# log_check DMESG MEMBER...: njoin --dmesg begins with DMESG, what the kernel's own dmesg said just
# before the panic, and continues with the panic; prints what is not so
log_check() {
	log_word=$1
	shift
	njoin -q --dmesg "$@" > log 2> log.err || {
		printf 'njoin --dmesg: %s\n' "$(cat log.err)"
		return 1
	}
	log_lines=$(wc -l < "$log_word")
	[ "$log_lines" -gt 0 ] || {
		echo 'the kernel said nothing before the panic'
		return 1
	}
	log_padded "$log_word" > log.want
	head -n "$log_lines" log | cmp -s - log.want || {
		echo 'njoin --dmesg is not what dmesg said before the panic:'
		head -n "$log_lines" log | diff log.want - | head -n 10
		return 1
	}
	tail -n "+$((log_lines + 1))" log > log.panic
	grep -q 'sysrq: Trigger a crash$' log.panic &&
		grep -q 'Kernel panic - not syncing: sysrq triggered crash$' log.panic || {
		echo 'njoin --dmesg does not show the panic:'
		head -n 5 log.panic
		return 1
	}
}

# log_padded DMESG: a further line of one message has its time again in dmesg, and spaces in the output
# of njoin, as in that of makedumpfile.  Takes the spaces wherever njoin has them and the time is that
# of the line before.
log_padded() {
	awk '
		NR == FNR { got[FNR] = $0; next }
		{
			time = match($0, /^\[ *[0-9]+\.[0-9]+\] /) ? substr($0, 1, RLENGTH) : ""
			spaces = time
			gsub(/./, " ", spaces)
			padded = spaces substr($0, length(time) + 1)
			print time != "" && time == before && got[FNR] == padded ? padded : $0
			before = time
		}' log "$1"
}

# log_cuts CORE: what is on a disk of a capture of /proc/vmcore that ended early has the whole kernel log, from 1 MiB on:
# at twenty sizes of which half are small; prints where it has not
log_cuts() {
	env LD_PRELOAD="$builddir/tests/faults/as_vmcore.so" NSPLIT_AS_VMCORE="$(readlink -f "$1")" \
		nsplit -q -C lzo "$1" cuts > cuts.said 2>&1 && njoin -q --dmesg "$1" > log.want 2>> cuts.said || {
		cat cuts.said
		return 1
	}
	awk -v size="$(stat -c %s cuts)" 'BEGIN {
		srand(1)
		for (i = 0; i < 20; i++)
			printf "%d\n", 1048576 * (size / 1048576) ^ rand()
	}' > cuts.sizes
	while read -r log_size; do
		head -c "$log_size" cuts > cuts.one
		njoin -q --salvage --dmesg cuts.one 2> log.err | cmp -s - log.want || {
			printf 'in the first %d bytes of a member: %s\n' "$log_size" "$(tail -n 1 log.err)"
			return 1
		}
	done < cuts.sizes
	rm cuts cuts.one
}
