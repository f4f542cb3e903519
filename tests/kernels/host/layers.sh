# shellcheck shell=sh
# shellcheck disable=SC2154 # shared with check-kernels.sh, checks.sh and filtered.sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Captures that leave pages out, nsplit -d 31: of the core, here; and the one of the capture kernel, of
# which a disk was removed meanwhile, if the core was made with it.  The judges of each:
#	set	it was captured without a warning, and njoin verifies it; with the disk that was removed, it
#		salvages the same
#	pages	the dump that njoin --format=kdump makes: page_sets.c, libkdumpfile, and the dump that
#		njoin -d 31 makes of the core, have the same pages
#	bytes	the file that njoin -o makes: page_joined.c; njoin counts the same as that
#	mount	the files of nsplit-mount are those of njoin
#	makedumpfile	the newest one reads the same kernel log in this dump, and in the file vmcore of the mount,
#		as in the core
#	crash, drgn	find the same in these two as in the core
# The words are in filtered/SOURCE-JUDGE.31, like those of filtered.sh.

layers_judges='set pages bytes mount makedumpfile crash drgn'

# layers_run: after filtered_run, of which filtered/dump is the dump of level 31
layers_run() {
	layers_path=$PATH
	PATH=$PWD/tools:$PATH
	filtered_level=31
	layers_of core layers_capture
	[ ! -e "$checks_dir/results/layers" ] || layers_of disks layers_unpack
	layers_rows="$(layers_row core)
$(layers_row disks)
$(layers_figures)"
	PATH=$layers_path
}

# layers_of SOURCE COMMAND: judges the set that the command makes: layers/0 and layers/1
layers_of() {
	layers_source=$1
	layers_members='layers/0 layers/1'
	mkdir layers layers/mnt
	layers_judge set "$2"
	layers_judge pages layers_pages
	layers_judge bytes layers_bytes
	layers_judge mount layers_mount
	case " $limits " in
	*' makedumpfile_newest_log '*) ;;
	*) layers_judge makedumpfile layers_makedumpfile ;;
	esac
	for layers_reader in $filtered_readers_of; do
		layers_judge "$layers_reader" "filtered_$layers_reader" layers/dump
		layers_judge "$layers_reader" "filtered_$layers_reader" layers/mnt/vmcore
	done
	forms_end layers
	[ "$layers_source" != core ] || layers_length=$(layers_size)
	rm -r layers
}

layers_judge() {
	layers_by=$layers_source-$1
	shift
	filtered_judge "$layers_by" "$@"
}

# layers_cell: one cell for all of them
layers_cell() {
	layers_all=
	for layers_by in $layers_judges; do
		layers_all="$layers_all core-$layers_by disks-$layers_by"
	done
	# shellcheck disable=SC2086
	filtered_cell $layers_all
}

# layers_row SOURCE: if there is such a set
layers_row() {
	[ -e "filtered/$1-set.31" ] || return 0
	printf 'layers: | %s | %s |' "${checks_dir##*/}" "$1"
	for layers_by in $layers_judges; do
		printf ' %s |' "$(cat "filtered/$1-$layers_by.31" 2> /dev/null)"
	done
	echo
}

# --- the sets ---------------------------------------------------------------------------

layers_capture() {
	layers_quiet nsplit -q -c -j2 -d 31 core layers/0 layers/1 &&
		layers_quiet njoin -q --verify layers/0 layers/1
}

# What the capture kernel wrote.  The disk that was removed lacks its end.  What it has was captured again,
# so the other one is a complete set.
layers_unpack() {
	for layers_step in layers layers_alone; do
		[ "$(cat "$checks_dir/results/$layers_step")" = ok ] || {
			printf '%s: %s\n' "$layers_step" "$(cat "$checks_dir/results/$layers_step")"
			return 1
		}
	done
	for layers_disk in 0 1; do
		zstd -q -d --sparse "$checks_dir/layers$layers_disk.zst" -o layers/$layers_disk || return 1
	done
	njoin -q --info --json layers/1 > layers/info 2> layers/said
	grep -q '"footer": false' layers/info || {
		echo 'the disk that was removed was not removed before the end of the capture'
		return 1
	}
	layers_members=layers/0
	layers_quiet njoin -q --verify layers/0 && layers_salvage
}

# From both disks.
layers_salvage() {
	layers_status=0
	njoin -q --salvage -o layers/salvaged layers/0 layers/1 2> layers/said || layers_status=$?
	[ $layers_status -eq 3 ] && [ "$(wc -l < layers/said)" -eq 1 ] &&
		grep -q '^njoin: layers/1: has no footer ' layers/said && njoin -q --zero-left-out -o layers/joined layers/0 &&
		cmp layers/joined layers/salvaged || {
		printf 'salvaged from both disks, with status %d: ' $layers_status
		cat layers/said
		return 1
	}
	rm layers/joined layers/salvaged
}

# layers_quiet COMMAND...: succeeds, and says nothing: a warning would be of a class that is kept after all
layers_quiet() {
	layers_quiet_in layers "$@"
}

# layers_quiet_in DIRECTORY COMMAND...
layers_quiet_in() {
	layers_said=$1/said
	shift
	layers_status=0
	"$@" > "$layers_said" 2>&1 || layers_status=$?
	[ $layers_status -eq 0 ] && [ ! -s "$layers_said" ] || {
		printf 'status %d: %s: ' $layers_status "$*"
		cat "$layers_said"
		return 1
	}
}

# --- the judges -------------------------------------------------------------------------

layers_pages() {
	# shellcheck disable=SC2086
	layers_quiet njoin -q --format=kdump --compress=lzo -o layers/dump $layers_members || return 1
	filtered_sets layers/dump > layers/sets || {
		grep -v '^left out' layers/sets
		return 1
	}
	compare core layers/dump && layers_same_dump filtered/dump layers/dump
}

# layers_same_dump WANTED DUMP: libkdumpfile finds the same pages in both
layers_same_dump() {
	compare "$1" "$2" > layers/compared && grep -q ', 0 only in the core, 0 only in the file$' layers/compared || {
		printf '%s and %s: ' "$1" "$2"
		cat layers/compared
		return 1
	}
}

layers_bytes() {
	# shellcheck disable=SC2086
	layers_quiet njoin -q --zero-left-out -o layers/joined $layers_members || return 1
	"$builddir/tests/kernels/page_joined" core 31 layers/joined > layers/found || {
		cat layers/found
		return 1
	}
	layers_wanted=$(sed -n 's/^left out: \([0-9]*\) bytes.*/\1/p' layers/found)
	# shellcheck disable=SC2086
	njoin -q --info --json $layers_members | awk -v wanted="$layers_wanted" '
		/"(second_place_)?left_out": [0-9]/ { gsub(/[^0-9]/, ""); found += $0 }
		/"missing": [1-9]/ { print "njoin --info says that bytes are missing"; status = 1 }
		END {
			if (found == wanted) exit status
			printf "njoin --info counts %d bytes that are left out, and there are %d\n", found, wanted
			exit 1
		}'
}

layers_mount() {
	[ -x "$builddir/nsplit-mount" ] && [ -c /dev/fuse ] || return 3
	# shellcheck disable=SC2086
	layers_quiet nsplit-mount -q --zero-holes $layers_members layers/mnt &&
		cmp layers/joined layers/mnt/vmcore && layers_same_dump layers/dump layers/mnt/vmcore.kdump
}

layers_makedumpfile() {
	for layers_file in core layers/dump layers/mnt/vmcore; do
		[ -e "$layers_file" ] || continue
		makedumpfile-newest -F --dump-dmesg "$layers_file" > layers/log 2> layers/said || {
			printf '%s: ' "$layers_file"
			tail -n 1 layers/said
			return 1
		}
		[ "$layers_file" != core ] || mv layers/log layers/log.want
		[ "$layers_file" = core ] || cmp layers/log.want layers/log || return 1
	done
}

# --- figures ----------------------------------------------------------------------------

layers_size() {
	stat -c %s layers/0 layers/1 2> /dev/null | awk '{ sum += $1 } END { print sum }'
}

# layers_figures: a row with the sizes in MiB, and the best time of three for each command in seconds, which
# take turns.  All files are in memory.  A makedumpfile that is emulated would say nothing.
layers_figures() {
	[ "$checks_arch" = amd64 ] && [ -e filtered/theirs ] && [ -z "${NSPLIT_SHORT-}" ] || return 0
	layers_memory=$(mktemp -d /dev/shm/nsplit-kernels.XXXXXX) || return 0
	cp core "$layers_memory/core"
	for _ in 1 2 3; do
		layers_timed nsplit1 nsplit -q -c -j1 -d 31 core a b
		layers_timed theirs1 makedumpfile-newest -l -d 31 core a
		layers_timed nsplit2 nsplit -q -c -j2 -d 31 core a b
		layers_timed theirs2 makedumpfile-newest -l -d 31 --num-threads 2 core a
	done
	rm -r "$layers_memory"
	layers_memory=
	awk -v machine="${checks_dir##*/}" -v ours="$layers_length" -v theirs="$(stat -c %s filtered/theirs)" '
		!best[$1] || $2 < best[$1] { best[$1] = $2 }
		END {
			printf "layers figures: | %s | %.1f | %.1f |", machine, ours / 1048576, theirs / 1048576
			n = split("nsplit1 theirs1 nsplit2 theirs2", names)
			for (i = 1; i <= n; i++) printf " %.2f |", best[names[i]] / 1e9
			printf "\n"
		}' filtered/times
}

# layers_timed NAME COMMAND...: the time is that of the clock, in nanoseconds
layers_timed() {
	(
		name=$1
		shift
		times=$PWD/filtered/times
		cd "$layers_memory" || exit
		rm -f a b
		from=$(date +%s%N)
		"$@" > said 2>&1 || exit
		echo "$name $(($(date +%s%N) - from))" >> "$times"
	)
}
