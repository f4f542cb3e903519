# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin --list of a core against its ELF headers, as readelf shows them, and the kernel's own word.

# list_check DIRECTORY CORE MEMBER...: DIRECTORY is that of the core in the cache; prints what is not so
list_check() {
	list_dir=$1
	list_core=$2
	shift 2
	njoin --list "$@" > list 2> list.err || {
		printf 'njoin --list: %s\n' "$(cat list.err)"
		return 1
	}
	readelf -lW "$list_core" | sed -n 's/^  LOAD  *//p' > loads
	# The notes are in front of everything else.
	head -c 64K "$list_core" | tr -c '[:print:]' '\n' > vmcoreinfo
	list_expected > list.want
	list_segments < loads >> list.want
	# The name of the host, and how the kernel numbers its notes, are not known here; page_kinds checks
	# the kinds of pages, and filtered.sh their classes.
	sed -e 's/ bytes ([^)]*)/ bytes/' -e '/^host: /d' -e '/^notes: /d' -e '/^pages: /d' -e '/^class: /d' \
		-e '/^kept: /d' -e '/^ *segment /d' -e '/^records: /d' -e '/^  *[0-9]/s/  */ /g' list > list.got
	cmp -s list.want list.got || {
		echo 'njoin --list is not what the headers and the kernel say:'
		diff list.want list.got | head -n 10
		return 1
	}
}

# What njoin --list says, but for the segments, which follow "page size".
list_expected() {
	list_size=$(info_of PAGESIZE)
	printf 'core: %s, %s bytes, %s segments\n' \
		"$(list_machine)" "$(stat -L -c %s "$list_core")" "$(wc -l < loads)"
	# "Linux version RELEASE (who built it) (with what) VERSION"
	printf 'kernel: %s %s\n' "$(cat "$list_dir/release")" \
		"$(sed 's/^.*) \(#[0-9]* SMP.*\)/\1/' "$list_dir/word/version")"
	printf 'crashed: %s\n' "$(date -u -d "@$(info_of CRASHTIME)" +%Y-%m-%dT%H:%M:%SZ)"
	printf 'CPUs: %s\n' \
		"$(sed -n 's/.*smp: Brought up .*, \([0-9]*\) CPUs*$/\1/p' "$list_dir/word/dmesg")"
	printf 'page size: %s bytes\n' "$list_size"
}

# info_of KEY: its value in VMCOREINFO
info_of() {
	sed -n "s/^$1=//p" vmcoreinfo
}

list_machine() {
	case $(kernel_arch "$(cat "$list_dir/release")") in
	arm64) echo aarch64 ;;
	*) echo x86_64 ;;
	esac
}

# Reads the lines of readelf: OFFSET VIRTUAL PHYSICAL FILESIZE MEMSIZE ...
list_segments() {
	list_number=0
	while read -r list_offset list_virtual list_from list_in_file list_in_memory _; do
		# Without leading zeros; not through arithmetic, since it has no unsigned numbers.
		printf ' %d 0x%x 0x%x 0x%s %d %d %d\n' $list_number $((list_from)) \
			$((list_from + list_in_memory - 1)) "$(echo "$list_virtual" | sed 's/^0x0*//')" \
			$((list_offset)) $((list_in_file)) $((list_in_memory))
		printf '%d %d\n' $((list_from)) $((list_from + list_in_memory)) >&3
		list_number=$((list_number + 1))
	done 3> extents
	list_pages=$(sort -n extents | awk -v size="$list_size" '
		{
			first = int($1 / size); last = int(($2 + size - 1) / size)
			if (first < end) first = end
			if (last > end) { pages += last - first; end = last }
		}
		END { printf "%d", pages }')
	printf 'memory: %d pages, %d of them in the core\n' "$list_pages" "$list_pages"
	printf 'missing: 0 pages\ncomplete: yes\n'
}
