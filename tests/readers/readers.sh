# shellcheck shell=sh
# shellcheck disable=SC2154 # vmlinux and readers_dir are set by check-readers.sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The readers of dumps: read_NAME FILE... prints the output to be compared, or fails.  The file "core"
# of the current directory is the core itself, and vmlinux its kernel with debug information, if any.

# Seconds that a reader has for one form.
time_limit=${TIME_LIMIT:-300}

# limited COMMAND...: a reader must not hang
limited() {
	timeout --foreground -k 5 "$time_limit" "$@"
}

# The bytes of the core.
read_cmp() {
	cmp core "$1"
}

# Each page of the core.
read_libkdumpfile() {
	limited compare core "$@" > compared || {
		cat compared
		return 1
	}
}

# The kernel log.
read_makedumpfile_log() {
	limited makedumpfile -F --dump-dmesg "$1"
}

# Joins the parts into one file, and reads its pages.
read_makedumpfile_reassemble() {
	rm -f whole
	limited makedumpfile --reassemble "$@" whole > /dev/null && compare core whole > compared
}

# Removes the pages that makedumpfile -d 31 leaves out, and reads the log of the rest.
read_makedumpfile_filter() {
	rm -f filtered
	limited makedumpfile -l -d 31 "$1" filtered > /dev/null &&
		makedumpfile -F --dump-dmesg filtered
}

# The kernel log, read by the newest makedumpfile.
read_makedumpfile_newest_log() {
	limited makedumpfile-newest -F --dump-dmesg "$1"
}

# njoin --dmesg on a file that njoin wrote, captured again as a member.
read_njoin_log() {
	nsplit -q -C lz4 "$1" again && njoin -q --dmesg again
	status=$?
	rm -f again
	return $status
}

# Reads memory at the address of init_uts_ns in VMCOREINFO; it contains "Linux".
read_gdb() {
	address=$(grep -a -m1 -o 'SYMBOL(init_uts_ns)=[0-9a-f]*' core | cut -d= -f2)
	limited gdb -nx -batch -core="$1" -ex "x/s 0x$address" -ex 'info registers rip rsp' \
		2> /dev/null
}

# What an analyst asks first, and whatever needs many kinds of pages; only the names of the files may
# differ.
crash_asked='sys
ps
bt -a
foreach bt
mod
foreach files
foreach vm
mount
net
kmem -i
kmem -s
dev
irq
timer
log'

# Whatever crash is asked: also for memory, by its physical address, in the largest segment of the core,
# unless crash_memory is empty.
crash_memory=yes

crash_questions() {
	printf '%s\n' "$crash_asked"
	[ -n "$crash_memory" ] || return 0
	readelf -lW core | sed -n 's/^  LOAD  *//p' | {
		largest=0
		while read -r _ _ physical filled _; do
			[ $((filled)) -le $((largest)) ] || {
				largest=$filled
				from=$physical
			}
		done
		printf 'rd -p %#x 64\nrd -p %#x 512\nrd -p %#x 512\n' $((from + 0x1000)) \
			$((from + 0x234000)) $((from + 0x1003000))
	}
}

# crash cannot start with the modules of a kernel that is newer than itself, which it is then told to
# leave out: crash_options=--no_modules.  The output of each command goes to a file of its own.
crash_options=

read_crash() {
	rm -rf said
	mkdir said
	crash_questions | awk '{ printf "%s > said/%02d\n", $0, NR } END { print "quit" }' \
		> crash.commands
	# shellcheck disable=SC2086
	limited crash -s $crash_options -i crash.commands "$vmlinux" "$@" > crash.log 2>&1 < /dev/null || {
		cat crash.log >&2
		return 1
	}
	crash_said
}

# What crash printed between the commands, and then what it said to each.  An error trace has addresses
# in crash itself, which are not the same twice.
crash_said() {
	grep -v -e '^please wait' -e '\] error trace: [0-9a-f]* => ' crash.log
	number=0
	crash_questions | while read -r question; do
		number=$((number + 1))
		printf 'crash> %s\n' "$question"
		grep -v -e '\] error trace: [0-9a-f]* => ' -e '^ *KERNEL: ' \
			-e '^ *DUMPFILES*: ' -e '^ *kdump\.[01]$' "said/$(printf %02d "$number")"
	done
	return 0
}

# Tasks with their stacks, modules, slab caches, objects, the log.
read_drgn() {
	limited drgn -q -c "$1" -s "$vmlinux" "$readers_dir/analysis.py"
}
