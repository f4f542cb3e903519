# shellcheck shell=sh
# shellcheck disable=SC2154 # set by check-kernels.sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What must hold for each core in the cache, and the table that says so.

# The readers whose tables of forms are columns here, as tests/readers/readers.sh names them.
checks_plain='cmp libkdumpfile makedumpfile_log makedumpfile_newest_log'
checks_symbols='crash drgn'

# checks_run NAME [VMLINUX]: examines the core of this machine in the current directory, which is empty;
# VMLINUX is its kernel with debug information, for crash and drgn.  Prints a row of the table, and then
# a line for each thing that the table has no room for.  Fails if a cell is WRONG.
checks_run() {
	checks_dir=$cache/cores/$1
	checks_vmlinux=${2-}
	checks_release=$(cat "$checks_dir/release")
	checks_notes=
	checks_wrong=
	zstd -q -d --sparse "$checks_dir/core.zst" -o core && nsplit -q -C lz4 core member0 member1 ||
		{
			echo "the core of $1 cannot be unpacked and captured" >&2
			return 1
		}
	checks_row="| $1 | $checks_release |"
	checks_cell capture checks_capture
	checks_cell log log_check "$checks_dir/word/dmesg" member0 member1
	checks_cell cuts log_cuts core
	checks_cell list list_check "$checks_dir" core member0 member1
	checks_cell kinds "$builddir/tests/kernels/page_kinds" core "$checks_dir/word/kpageflags"
	checks_cell broken checks_broken
	checks_cell 'broken captures' checks_broken_captures
	checks_readers
	checks_filtered
	checks_figures
	checks_estimates
	rm -rf core member0 member1 wanted tools
	printf '%s\n%s\n%s\n%s\n%s\n%s' "$checks_row" "$filtered_rows" "$layers_rows" "$dumps_rows" \
		"$checks_figures_row" "$checks_notes"
	[ -z "$checks_wrong" ] || {
		printf '\nwrong: %s: %s\n' "$1" "${checks_wrong#, }"
		return 1
	}
}

# checks_report FILE: prints what checks_run said of all cores as a table, and what it has no room for
checks_report() {
	echo
	echo '| machine | kernel | capture | log | cuts | list | kinds | broken | broken captures | pages | makedumpfile | newest makedumpfile | crash | drgn | filtered | page set | layers | dumps |'
	echo '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|'
	grep '^|' "$1"
	echo
	echo '| machine | judge | -d 2 | -d 4 | -d 8 | -d 16 | -d 31 |'
	echo '|---|---|---|---|---|---|---|'
	sed -n 's/^filtered: //p' "$1"
	echo
	echo 'In MiB: the memory in the core; the files of njoin and makedumpfile, -d 31; what they leave out.'
	echo
	echo '| machine | memory | njoin | makedumpfile | cache | private | user | free |'
	echo '|---|---|---|---|---|---|---|---|'
	sed -n 's/^sizes: //p' "$1"
	echo
	echo 'Sets of nsplit -d 31: of the core, and of two disks, of which one was removed during the capture.'
	echo
	echo '| machine | captured | set | pages | bytes | mount | makedumpfile | crash | drgn |'
	echo '|---|---|---|---|---|---|---|---|---|'
	sed -n 's/^layers: //p' "$1"
	echo
	echo 'Dumps of nsplit --format=kdump -d 31: of the core, and of the capture kernel, with one thread and with four.'
	echo
	echo '| machine | dump | pages | makedumpfile | crash | drgn |'
	echo '|---|---|---|---|---|---|'
	sed -n 's/^dumps: //p' "$1"
	echo
	echo 'nsplit -c -d 31 and makedumpfile -l -d 31: MiB of the files; seconds, the best of three, in memory.'
	echo
	echo '| machine | nsplit | makedumpfile | nsplit -j1 | makedumpfile | nsplit -j2 | makedumpfile --num-threads 2 |'
	echo '|---|---|---|---|---|---|---|'
	sed -n 's/^layers figures: //p' "$1"
	echo
	echo 'In the capture kernel: nsplit -C lzo -d 31 and makedumpfile -l -d 31 to one disk: MiB of the files;'
	echo 'seconds until the data is on the disk, the median of three; and nsplit to two disks.'
	echo
	echo '| machine | nsplit | makedumpfile | nsplit | makedumpfile | two disks |'
	echo '|---|---|---|---|---|---|'
	sed -n 's/^capture figures: //p' "$1"
	echo
	grep -v -e '^|' -e '^filtered: ' -e '^sizes: ' -e '^layers: ' -e '^dumps: ' -e '^[a-z]* figures: ' -e '^wrong: ' -e '^$' "$1" |
		sed 's/^/- /'
	echo
	tools_versions
}

# checks_note TEXT: a line below the table; only the first line of TEXT
checks_note() {
	checks_notes="$checks_notes$(printf '%s: %s' "${checks_dir##*/}" "$1" | head -n 1)
"
}

# checks_add NAME CELL
checks_add() {
	checks_row="$checks_row $2 |"
	[ "$2" != WRONG ] || checks_wrong="$checks_wrong, $1"
}

# checks_cell NAME COMMAND...: a cell that is right if the command succeeds
checks_cell() {
	checks_name=$1
	shift
	if "$@" > checks.said; then
		checks_add "$checks_name" right
	else
		checks_add "$checks_name" WRONG
		sed 's/^/        /' checks.said >&2
		checks_note "$checks_name: $(cat checks.said)"
		checks_wrong="$checks_wrong ($(head -n 1 checks.said))"
	fi
}

# What nsplit, njoin and nsplit-mount said in the capture kernel, when the core was made.
checks_capture() {
	for checks_step in capture verify mount; do
		[ "$(cat "$checks_dir/results/$checks_step")" = ok ] || {
			printf '%s: %s\n' "$checks_step" "$(cat "$checks_dir/results/$checks_step")"
			return 1
		}
	done
}

# What is lost if VMCOREINFO and the memory map are broken; all of it is in the cache.
checks_broken() {
	"$builddir/tests/kernels/page_damage" core > broken 2>&1 || {
		grep -e '^not known: ' -e '^too slow: ' broken || tail -n 1 broken
		return 1
	}
	checks_note "broken: $(tail -n 1 broken)"
	mv broken "$checks_dir/results/broken"
}

# The same damage, in front of nsplit -d 31: one case in 100, and each with a note that is cut; with
# NSPLIT_SHORT, a tenth of both.  Members are in memory, since nsplit waits for the disk at the end of each.
checks_broken_captures() {
	layers_memory=$(mktemp -d /dev/shm/nsplit-kernels.XXXXXX) || return 1
	checks_status=0
	checks_every=100
	[ -z "${NSPLIT_SHORT-}" ] || checks_every=1000
	"$builddir/tests/kernels/page_damage_capture" -n "$checks_every" core "$layers_memory" > captures 2>&1 ||
		checks_status=$?
	rm -r "$layers_memory"
	layers_memory=
	[ $checks_status -eq 0 ] || {
		grep -e '^not known: ' -e '^wrong: ' captures || tail -n 1 captures
		return 1
	}
	checks_note "broken captures: $(tail -n 1 captures)"
}

# Dumps that leave pages out, of all levels.
checks_filtered() {
	filtered_run
	checks_add filtered "$(filtered_cell pages captured crash drgn)"
	checks_add 'page set' "$(filtered_cell makedumpfile)"
	layers_run
	checks_add layers "$(layers_cell)"
	dumps_run
	checks_add dumps "$(dumps_cell)"
	rm -r filtered
}

# How long cp, makedumpfile and nsplit took in the capture kernel, if the core was made with figures, and a
# row for the table of those at level 31.
checks_figures() {
	checks_figures_row=
	[ -e "$checks_dir/results/figures" ] || return 0
	checks_figures_row=$(awk -v machine="${checks_dir##*/}" '
		$1 ~ /-31/ && $NF == "bytes" { seconds[$1] = $2; bytes[$1] = $(NF - 1) }
		END {
			if (seconds["nsplit-31"] && seconds["makedumpfile-31"])
				printf "capture figures: | %s | %.1f | %.1f | %s | %s | %s |", machine,
					bytes["nsplit-31"] / 1048576, bytes["makedumpfile-31"] / 1048576,
					seconds["nsplit-31"], seconds["makedumpfile-31"],
					seconds["nsplit-31-2"]
		}' "$checks_dir/results/figures")
	while read -r checks_line; do
		checks_note "$checks_line"
		case $checks_line in
		*' failed: '*) checks_wrong="$checks_wrong, figures" ;;
		esac
	done < "$checks_dir/results/figures"
}

# What nsplit --estimate said just before the panic, if the core was made with that, against a dump of the core.
checks_estimates() {
	[ -e "$checks_dir/word/estimate.json" ] || return 0
	checks_status=0
	nsplit -q --no-config -C lzo -d 31 --stats=estimated.stats core estimated &&
		python3 "$here/estimates.py" "$checks_dir/word/estimate.json" \
			"$checks_dir/word/estimate-unread.json" estimated.stats > estimates || checks_status=$?
	while read -r checks_line; do
		checks_note "$checks_line"
	done < estimates
	[ $checks_status -eq 0 ] || checks_wrong="$checks_wrong, estimate"
	rm -f estimated estimated.stats
}

# checks_count FILE: prints how many cells are right
checks_count() {
	grep -o '| right ' "$1" | wc -l
}

# The readers get all forms of the core.
checks_readers() {
	mkdir wanted
	checks_arch=$(kernel_arch "$checks_release")
	# Seconds for each form; crash for arm64 is emulated.
	checks_limit=300
	[ "$checks_arch" = amd64 ] || checks_limit=1200
	checks_of=$checks_plain${checks_vmlinux:+ $checks_symbols}
	tools_begin "$checks_arch" tools "$checks_vmlinux" || {
		checks_note 'the readers cannot be had'
		# Without a reader, its cell would be a limit.
		checks_wrong="$checks_wrong, readers"
	}
	# "elf" is the core again, as cmp finds, and each cell of these two takes its time.
	# shellcheck disable=SC2086
	env WITHOUT='crash-elf drgn-elf' TIME_LIMIT="$checks_limit" \
		TOOLS="$PWD/tools" WANTED="$PWD/wanted" READERS="$checks_of" builddir="$builddir" \
		sh "$here/../readers/check-readers.sh" core $checks_vmlinux > readers 2> readers.err ||
		sed 's/^/        /' readers.err >&2
	checks_limit_reasons
	checks_add pages "$(checks_of_row cmp libkdumpfile)"
	checks_add makedumpfile "$(checks_of_row makedumpfile_log)"
	checks_add 'newest makedumpfile' "$(checks_of_row makedumpfile_newest_log)"
	if [ -n "$checks_vmlinux" ]; then
		checks_symbols_rows
	else
		checks_row="$checks_row | |"
	fi
}

# Why a reader could not read the core itself, as far as it says so: a limit must not hide another failure.
checks_limit_reasons() {
	awk '/ cannot read the core itself:$/ { limit = $0; if ((getline) <= 0) $0 = ""; print limit, $0 }' \
		readers.err > limits
	while read -r checks_line; do
		checks_note "$checks_line"
	done < limits
}

# checks_of_row READER...: one cell for all forms: the worst of them
checks_of_row() {
	for checks_reader; do
		checks_known=WRONG
		case " $limits " in
		*" $checks_reader "*) checks_known=limit ;;
		esac
		grep "^| $(printf '%s' "$checks_reader" | tr _ ' ') |" readers | sed "s/limit/$checks_known/g"
		# A reader without a row, or with nothing in it.
		grep -q "^| $(printf '%s' "$checks_reader" | tr _ ' ') |.*[a-zA-Z]" readers || echo WRONG
	done > checks.rows
	if grep -q WRONG checks.rows; then
		echo WRONG
	elif grep -q limit checks.rows; then
		echo limit
	elif grep -q right checks.rows; then
		echo right
	fi
}

checks_symbols_rows() {
	checks_add crash "$(checks_with_tasks crash)"
	checks_add drgn "$(checks_with_tasks drgn)"
	[ ! -e tasks.err ] || while read -r checks_line; do
		checks_note "$checks_line"
	done < tasks.err
	# What crash cannot do with the core itself.
	checks_limits=$(tasks_crash_limits < wanted/crash)
	[ -z "$checks_limits" ] || checks_note "crash cannot, with the core itself: $checks_limits"
	! grep -q 'no kernel module access' wanted/crash ||
		checks_note 'crash cannot read the modules of this kernel, and was given --no_modules'
}

# checks_with_tasks READER: its cell, which is also WRONG if it does not find the tasks that the kernel
# listed
checks_with_tasks() {
	checks_state=$(checks_of_row "$1")
	[ "$checks_state" != right ] ||
		"tasks_$1" < "wanted/$1" | tasks_check "$checks_dir/word/ps" > tasks.said || {
		checks_state=WRONG
		sed "s/^/$1: /" tasks.said >> tasks.err
	}
	echo "$checks_state"
}
