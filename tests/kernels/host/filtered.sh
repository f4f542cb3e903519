# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # shared with check-kernels.sh and checks.sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Dumps of one core that leave pages out, and the judges of each:
#	pages		page_sets.c: which pages are left out; libkdumpfile: the others are those of the core
#	captured	the same of what nsplit -d has captured, and njoin made a dump of
#	makedumpfile	leaves out the same, but for the differences that page_sets.c knows
#	crash, drgn	filtered-readers.sh: they find the same as in the core
# For each judge and level, the file filtered/JUDGE.LEVEL has the word for the table.

# Each class of pages by itself, and all.  4 includes 2.
filtered_levels='2 4 8 16 31'

# filtered_run: examines the core of the current directory, of which member0 and member1 are a capture,
# and wanted/ has what the readers said
filtered_run() {
	mkdir filtered
	filtered_path=$PATH
	PATH=$PWD/tools:$PATH
	filtered_readers_begin
	for filtered_level in $filtered_levels; do
		filtered_judge pages filtered_pages member0 member1
		filtered_readers
		case $filtered_level in
		# At the others, offline pages are left out as well: they are never read.
		16 | 31) filtered_judge captured filtered_captured ;;
		esac
		filtered_judge makedumpfile filtered_makedumpfile
	done
	# A plain core in the place of the members.
	filtered_judge pages filtered_pages core
	filtered_beside
	filtered_rows="$(filtered_sizes)
$(filtered_table)"
	PATH=$filtered_path
}

# filtered_judge JUDGE COMMAND...: the word is right if the command succeeds, limit if it returns 3, and
# WRONG otherwise; the first line that it prints says why
filtered_judge() {
	filtered_by=$1
	shift
	filtered_status=0
	"$@" > filtered/said 2>&1 || filtered_status=$?
	case $filtered_status in
	0) filtered_verdict=right ;;
	3) filtered_verdict=limit ;;
	*)
		filtered_verdict=WRONG
		checks_note "-d $filtered_level, $filtered_by: $(cat filtered/said)"
		head -n 20 filtered/said | sed 's/^/        /' >&2
		;;
	esac
	# WRONG stays, if a judge is asked twice.
	grep -sq WRONG "filtered/$filtered_by.$filtered_level" ||
		echo $filtered_verdict > "filtered/$filtered_by.$filtered_level"
}

# filtered_cell JUDGE...: one cell for all levels of these judges: the worst of them; nothing if they
# were not asked
filtered_cell() {
	for filtered_by; do
		cat filtered/"$filtered_by".[0-9]* filtered/"$filtered_by".full 2> /dev/null || :
	done > filtered/cells
	for filtered_verdict in WRONG limit right; do
		if grep -q $filtered_verdict filtered/cells; then
			echo $filtered_verdict
			return
		fi
	done
}

# filtered_table: a row for each judge, with a cell for each level
filtered_table() {
	for filtered_by in pages captured crash drgn makedumpfile; do
		[ -e "filtered/$filtered_by.31" ] || continue
		printf 'filtered: | %s | %s |' "${checks_dir##*/}" $filtered_by
		for filtered_level in $filtered_levels; do
			printf ' %s |' "$(cat "filtered/$filtered_by.$filtered_level" 2> /dev/null)"
		done
		echo
	done
}

# filtered_pages SOURCE...: makes filtered/dump of members or of a core.  A warning would be of a class
# that is kept after all.
filtered_pages() {
	rm -f filtered/dump
	filtered_njoin=0
	njoin -q --format=kdump --compress=lzo -d "$filtered_level" -o filtered/dump "$@" \
		2> filtered/warnings || filtered_njoin=$?
	cat filtered/warnings
	[ $filtered_njoin -eq 0 ] && [ ! -s filtered/warnings ] || return 1
	filtered_sets filtered/dump > filtered/sets || {
		grep -v '^left out' filtered/sets
		return 1
	}
	[ "$filtered_level" -ne 31 ] || filtered_list || return 1
	compare core filtered/dump
}

# filtered_captured: a capture with this level has the same pages as a dump with it
filtered_captured() {
	nsplit -q -d "$filtered_level" core layers0 layers1 2> filtered/warnings || return 1
	filtered_njoin=0
	njoin -q --format=kdump --compress=lzo -o filtered/captured layers0 layers1 \
		2>> filtered/warnings || filtered_njoin=$?
	rm -f layers0 layers1
	cat filtered/warnings
	[ $filtered_njoin -eq 0 ] && [ ! -s filtered/warnings ] || return 1
	filtered_sets filtered/captured > filtered/sets-captured || {
		grep -v '^left out' filtered/sets-captured
		return 1
	}
	compare core filtered/captured || return 1
	rm filtered/captured
}

# The pages that njoin --list counted are those of level 31.
filtered_list() {
	awk '
		/^class: / { class[$2] = $3 }
		/^kept: level 31 / { kept = $4 }
		/^left out, of / {
			wanted = $4
			for (i = 6; i < NF; i += 2) {
				wanted -= $(i + 1)
				if (class[$i] != $(i + 1)) bad("pages of class " $i, class[$i], $(i + 1))
			}
			if (kept != wanted) bad("pages kept at level 31", kept, wanted)
		}
		function bad(what, listed, found) {
			printf "wrong: njoin --list counts %d %s, and there are %d\n", listed, what, found
			status = 1
		}
		END { exit status }' list filtered/sets
}

# filtered_sets OURS [THEIRS]
filtered_sets() {
	"$builddir/tests/kernels/page_sets" core "$checks_dir/word/kpageflags" "$filtered_level" "$@"
}

# A limit is one for the core itself, too, and said there.
filtered_makedumpfile() {
	case " $limits " in
	*' makedumpfile_newest_log '*) return 3 ;;
	esac
	rm -f filtered/theirs
	makedumpfile-newest -l -d "$filtered_level" core filtered/theirs > filtered/makedumpfile.log 2>&1 || {
		tail -n 1 filtered/makedumpfile.log
		return 1
	}
	filtered_sets filtered/dump filtered/theirs > filtered/differences || {
		cat filtered/differences
		return 1
	}
}

# What is wrong with makedumpfile's own dump of level 31.
filtered_beside() {
	[ -e filtered/theirs ] || return 0
	grep '^makedumpfile leaves out wrongly' filtered/differences > filtered/wrongly || return 0
	while read -r filtered_line; do
		checks_note "-d 31: $filtered_line"
	done < filtered/wrongly
	filtered_readers_beside
}

# filtered_sizes: a row with the memory in the core, and the dumps of level 31, in MiB
filtered_sizes() {
	awk -v machine="${checks_dir##*/}" -v page="$(info_of PAGESIZE)" \
		-v ours="$(stat -c %s filtered/dump)" -v theirs="$(stat -c %s filtered/theirs 2> /dev/null)" '
		function mib(bytes) { return sprintf(" %.1f |", bytes / 1048576) }
		/^left out, of / {
			print "sizes: | " machine " |" mib($4 * page) mib(ours) (theirs ? mib(theirs) : " |") \
				mib($7 * page) mib($9 * page) mib($11 * page) mib($13 * page)
		}' filtered/sets
}
