# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # shared with checks.sh, filtered.sh and readers.sh
# SPDX-License-Identifier: GPL-2.0-or-later
# crash and drgn of dumps that leave pages out: they find the same as in the core, word for word.  The
# name of the file, and that it is a partial dump, are in the one line that read_crash always drops.

# filtered_readers_begin: what they find in the core, of which wanted/ has the most
filtered_readers_begin() {
	filtered_readers_of=
	[ -n "$checks_vmlinux" ] || return 0
	time_limit=$checks_limit
	filtered_readers_of=drgn
	cp wanted/drgn filtered/analysis.want
	case " $limits " in
	*' crash '*) ;;
	*)
		filtered_readers_of='crash drgn'
		filtered_crash_begin
		;;
	esac
	filtered_level=full
	filtered_judge drgn filtered_drgn_begin
}

# A dump need not have the memory at an address that somebody chose.
filtered_crash_begin() {
	crash_memory=
	awk '/^crash> / { memory = $2 == "rd" } !memory' wanted/crash > filtered/crash.want
	crash_options=
	! grep -q 'no kernel module access' wanted/crash || crash_options=--no_modules
}

filtered_drgn_begin() {
	filtered_drgn_pages core > filtered/drgn.want && filtered_counts < filtered/drgn.want
}

filtered_drgn_pages() {
	limited drgn -q -c "$1" -s "$vmlinux" "$here/kernel_pages.py"
}

# filtered_counts: standard input has the pages that drgn has read of the core; they are at least 90 % of
# what the kernel counted
filtered_counts() {
	{
		cat
		filtered_counted
	} | awk '
		$1 == "total" { found[$2] = $3 }
		$1 == "word" { word[$2] += $3 }
		END {
			for (kind in word)
				if (found[kind] < word[kind] * 0.9) {
					printf "drgn found %d kB of %s; the kernel had %d\n", found[kind], kind,
						word[kind]
					few = 1
				}
			exit few
		}'
}

# filtered_counted: what the kernel counted, as lines "word KIND kB"
filtered_counted() {
	filtered_page=$(info_of PAGESIZE)
	awk -v page="$filtered_page" '
		/^KernelStack:/ { print "word stack", $2 }
		/^PageTables:/ { print "word table", $2 }
		/^Percpu:/ { print "word per-CPU", $2 }
		/^VmallocUsed:/ { print "word vmalloc", $2 }
		# 64 bytes for each page.
		/^MemTotal:/ { print "word map", $2 * 64 / page }' "$checks_dir/word/meminfo"
	awk -v page="$filtered_page" '
		NR > 2 { pages += $6 * $15 }
		END { print "word slab", pages * page / 1024 }' "$checks_dir/word/slabinfo"
	sed -n 's/^ *\([0-9a-f]*\)-\([0-9a-f]*\) : Kernel \(code\|data\)$/\1 \2/p' "$checks_dir/word/iomem" |
		while read -r filtered_from filtered_to; do
			echo word image $(((0x$filtered_to - 0x$filtered_from) / 1024))
		done
}

# filtered_readers: judges filtered/dump
filtered_readers() {
	for filtered_reader in $filtered_readers_of; do
		# Emulated, crash takes minutes.
		[ "$filtered_reader$checks_arch" != crasharm64 ] || [ "$filtered_level" -eq 31 ] || continue
		filtered_judge "$filtered_reader" "filtered_$filtered_reader" filtered/dump
	done
}

filtered_crash() {
	read_crash "$1" > filtered/crash.got 2> filtered/crash.err || {
		echo 'crash does not start'
		return 1
	}
	filtered_same crash
}

# An exception ends with its reason.
filtered_drgn() {
	if read_drgn "$1" > filtered/analysis.got 2> filtered/drgn.err &&
		filtered_drgn_pages "$1" > filtered/drgn.got 2> filtered/drgn.err; then
		filtered_same analysis && filtered_same drgn
	else
		tail -n 1 filtered/drgn.err
		return 1
	fi
}

# filtered_same NAME
filtered_same() {
	cmp -s "filtered/$1.want" "filtered/$1.got" || {
		diff "filtered/$1.want" "filtered/$1.got" | grep '^[<>]'
		return 1
	}
}

# filtered_readers_beside: what the readers find in the dump of makedumpfile -d 31
filtered_readers_beside() {
	for filtered_reader in $filtered_readers_of; do
		[ "$filtered_reader$checks_arch" != crasharm64 ] || continue
		"filtered_$filtered_reader" filtered/theirs > filtered/said 2>&1 ||
			checks_note "$filtered_reader, of the dump of makedumpfile -d 31: $(cat filtered/said)"
	done
}
