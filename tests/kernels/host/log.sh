# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel log of a core against the kernel's own word.

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
