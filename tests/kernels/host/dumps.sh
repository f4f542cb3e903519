# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # shared with check-kernels.sh, checks.sh, filtered.sh and layers.sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Dumps of nsplit --format=kdump -d 31, which other programs open as they are: of the core, here, as a file,
# flattened through a pipe, and as an ELF core; and those of the capture kernel, if the core was made with them.  The judges of each:
#	pages	libkdumpfile: the same pages as in the dump that njoin -d 31 makes of the core; njoin verifies it
#	makedumpfile	the newest one reads the kernel log, and filters it again
#	crash, drgn	find the same as in the core
# The words are in filtered/SOURCE-JUDGE.dumps, like those of filtered.sh.

dumps_judges='pages makedumpfile crash drgn'
dumps_of_core='here-file here-pipe here-elf'
dumps_of_disks='file-1 pipe-1 file-4 pipe-4'

# dumps_run: after layers_run, of which filtered/dump is the dump of level 31
dumps_run() {
	dumps_path=$PATH
	PATH=$PWD/tools:$PATH
	filtered_level=dumps
	mkdir dumps
	for dumps_source in $dumps_of_core $dumps_of_disks; do
		dumps_get || continue
		dumps_judge_all
		rm -f dumps/*
	done
	rmdir dumps
	dumps_rows=$(dumps_table)
	PATH=$dumps_path
}

# dumps_get: makes or unpacks dumps/dump; fails if the core was made without it.  What nsplit says is judged later.
dumps_get() {
	case $dumps_source in
	here-file) nsplit -q -c -j2 -d 31 --format=kdump core dumps/dump 2> dumps/said || : ;;
	here-elf) nsplit -q -j2 -d 31 --format=elf core dumps/dump 2> dumps/said || : ;;
	here-pipe) nsplit -q -c -j2 -d 31 --format=kdump core - 2> dumps/said > dumps/dump || : ;;
	*)
		[ -e "$checks_dir/$dumps_source.zst" ] || return 1
		zstd -q -d --sparse "$checks_dir/$dumps_source.zst" -o dumps/dump
		;;
	esac
}

dumps_judge_all() {
	dumps_judge pages dumps_pages
	case " $limits " in
	*' makedumpfile_newest_log '*) ;;
	*) dumps_judge makedumpfile dumps_makedumpfile ;;
	esac
	for dumps_reader in $filtered_readers_of; do
		# Emulated, crash takes minutes.
		[ "$dumps_reader$checks_arch" != crasharm64 ] || case $dumps_source in
		file-1 | pipe-4) ;;
		*) continue ;;
		esac
		dumps_judge "$dumps_reader" "filtered_$dumps_reader" dumps/dump
	done
}

dumps_judge() {
	dumps_by=$dumps_source-$1
	shift
	filtered_judge "$dumps_by" "$@"
}

# dumps_table: a row for each dump that there is
dumps_table() {
	for dumps_name in $dumps_of_core $dumps_of_disks; do
		[ -e "filtered/$dumps_name-pages.dumps" ] || continue
		printf 'dumps: | %s | %s |' "${checks_dir##*/}" "$dumps_name"
		for dumps_by in $dumps_judges; do
			printf ' %s |' "$(cat "filtered/$dumps_name-$dumps_by.dumps" 2> /dev/null)"
		done
		echo
	done
}

# dumps_cell: one cell for all of them
dumps_cell() {
	cat filtered/*.dumps > filtered/cells
	for filtered_verdict in WRONG limit right; do
		if grep -q $filtered_verdict filtered/cells; then
			echo $filtered_verdict
			return
		fi
	done
}

# --- the judges -------------------------------------------------------------------------

dumps_said() {
	[ ! -s dumps/said ] || {
		cat dumps/said
		return 1
	}
	[ ! -e "$checks_dir/results/dump-$dumps_source" ] || [ "$(cat "$checks_dir/results/dump-$dumps_source")" = ok ] || {
		cat "$checks_dir/results/dump-$dumps_source"
		return 1
	}
}

dumps_pages() {
	dumps_said && dumps_plain || return
	dumps_compared=$(compare filtered/dump dumps/plain) || :
	case $dumps_source,$dumps_compared in
	# Some pages that are left out are zeros in it.
	here-elf,*', 0 differ, 0 only in the core, '*) ;;
	*', 0 differ, 0 only in the core, 0 only in the file') ;;
	*)
		echo "$dumps_compared"
		return 1
		;;
	esac
}

# dumps_plain: libkdumpfile of Debian 12 reads no flattened dumps, so njoin makes dumps/plain of one
dumps_plain() {
	[ "$dumps_source" = here-elf ] || layers_quiet_in dumps njoin -q --verify dumps/dump || return
	case $dumps_source in
	*pipe*) layers_quiet_in dumps njoin -q -o dumps/plain dumps/dump ;;
	*) ln dumps/dump dumps/plain ;;
	esac
}

dumps_makedumpfile() {
	makedumpfile-newest -F --dump-dmesg core > dumps/log.want 2> dumps/err &&
		makedumpfile-newest -F --dump-dmesg dumps/plain > dumps/log 2> dumps/err || {
		tail -n 1 dumps/err
		return 1
	}
	cmp dumps/log.want dumps/log || return 1
	# It unmaps what it still reads of an ELF core with many segments that begin with pages.
	dumps_option=
	[ "$dumps_source" != here-elf ] || dumps_option=--non-mmap
	makedumpfile-newest ${dumps_option:+"$dumps_option"} -l -d 31 dumps/plain dumps/again > dumps/err 2>&1 || {
		tail -n 1 dumps/err
		return 1
	}
}
