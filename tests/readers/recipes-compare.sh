# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Part of recipes.sh: compares what the two machines have after a recipe.

# A header for the cells that compare_machines prints.
table_head() {
	printf '| recipe | original | nsplit | files | form | pages: both, original only, nsplit only | stdout | stderr |\n'
	printf '|---|---|---|---|---|---|---|---|\n'
}

# make_reference: what the original program keeps at level 31.  It keeps more in an ELF core: pages that were to be
# left out, between others.
make_reference() {
	"${original:?}" -c -d 31 "${core:?}" reference > reference.log 2>&1 ||
		missing "the original program cannot dump the core: $(tail -n 3 reference.log)"
}

# dated: replaces dates in names
dated() {
	sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}[-T][0-9]{2}[-:][0-9]{2}([-:][0-9]{2})?/DATE/g; s/[0-9]{12}/DATE/g'
}

# list_files WHO: writes its files, with their modes, to $scratch/WHO/list, and where they are to $scratch/WHO/paths
list_files() {
	machine_use "$1"
	for directory in "${root:?}/var/crash" "$root/sysroot" "$root/kdump"; do
		[ ! -d "$directory" ] || find "$directory" -mindepth 1 -printf '%y %m /%P %p\n'
	done | sort > "${machine:?}/found"
	[ ! -e "$machine/device" ] || printf 'b 0 device %s\n' "$machine/device" >> "$machine/found"
	cut -d ' ' -f 1-3 "$machine/found" | dated > "$machine/list"
	grep '^[fb]' "$machine/found" | cut -d ' ' -f 4- > "$machine/paths"
}

# last_lines MACHINE: the lines of standard error, or on the console, that say how it ended
last_lines() {
	grep -aE '^(The (dumpfile|dmesg log) is saved to .*|makedumpfile (Completed|Failed)\.)$' "$1/err" | dated
}

# printed MACHINE: standard output, without what an original program says of a kernel that is newer than itself
printed() {
	sed '/^The kernel version is not supported\.$/d; /^The makedumpfile operation may be incomplete\.$/d' "$1/out" | dated
}

# status_only MACHINE: nothing; see recipe()
status_only() {
	:
}

# differs WHAT FILE FILE: reports a difference
differs() {
	printf '%s: %s differs (-: original, +: nsplit)\n' "$compared" "$1"
	diff -U 1 "$2" "$3" | sed 1,2d | cut -c -200 | head -n 20
} >> differences

# same_text WHAT FILE FILE: sets cell to same or DIFFERENT
same_text() {
	cell=same
	cmp -s "$2" "$3" || {
		cell=DIFFERENT
		differs "$@"
	}
}

# form_of FILE: prints its form
form_of() {
	case $(head -c 12 "$1" | tr -d '\0') in
	# A device that kdumpctl has wiped.
	'') echo empty ;;
	KDUMP* | makedumpfile)
		# What njoin does not read as a dump is another flattened file.
		njoin --info "$1" 2> info.err > info || {
			echo flattened
			return
		}
		sed -n 's/^dump: //p; s/^file: .*, flattened$/flattened/p; /^complete: /p' info
		;;
	?ELF*) echo ELF ;;
	*) echo text ;;
	esac
}

# packed FILE NEW: makes a copy of a dump whose pages are packed with zlib, so that they can be compared
packed() {
	njoin -q --overwrite-dumps --compress=zlib -o "$2" "$1" 2> "$2.err" || :
}

# count_pages FILE FILE: compares their pages; sets both, first and second, or fails
count_pages() {
	first=0
	count=$(python3 -B "${srcdir:?}/tests/cli/kdump-compare.py" "$1" "$2" 2> pages.err) || return 1
	# shellcheck disable=SC2046 # words
	set -- $(printf '%s\n' "$count" | tr -d ,)
	both=$2 first=$4 second=$6
}

# compare_pages FILE FILE: adds to the cell pages
compare_pages() {
	count_pages "$1" "$2" || {
		pages="$pages DIFFERENT"
		printf '%s: pages differ: %s\n' "$compared" "$(tail -n 1 pages.err)" >> differences
		return
	}
	pages="$pages $both +$first +$second"
}

# compare_dumps FILE FILE
compare_dumps() {
	packed "$1" packed.original
	packed "$2" packed.nsplit
	compare_pages packed.original packed.nsplit
	nothing_lost
}

# compare_cores FILE FILE: likewise for ELF cores.  The original leaves in them those pages that were to be left out
# which are between others.
compare_cores() {
	compare_pages "$1" "$2"
	[ "$first" -gt 0 ] || return 0
	echo "$compared: the original has $first pages in its ELF core that are not in its compressed dump." >> notes
	packed reference packed.reference
	count_pages packed.reference "$2" || first=all
	nothing_lost
}

# nothing_lost: nsplit has the pages that were counted of the original
nothing_lost() {
	[ "$first" != 0 ] || return 0
	pages="$pages DIFFERENT"
	printf '%s: nsplit left out %s pages that the original has\n' "$compared" "$first" >> differences
}

# read_text FILE: prints it without what differs in any case: the time of a dump, and the thread or CPU, which versions
# of makedumpfile from 1.7.5 on add to lines of the kernel log; further lines of a message are indented by that
read_text() {
	sed -E 's/^(\[ *[0-9]+\.[0-9]+\]) *\[ *[TC][0-9]+\]/\1/; s/^Dump time: .*/Dump time:/; s/^ +//' "$1"
}

compare_text() {
	read_text "$1" > text.original
	read_text "$2" > text.nsplit
	cmp -s text.original text.nsplit || {
		form=DIFFERENT
		differs "${1##*/}" text.original text.nsplit
	}
	cmp -s "$1" "$2" || cmp -s "$1" text.original || callers=yes
}

# unpacked FILE NEW: prints the name of the file, or of a copy that is not compressed with gzip
unpacked() {
	case $1 in
	*.gz) gzip -dc "$1" > "$2" && echo "$2" ;;
	*) echo "$1" ;;
	esac
}

# compare_file FILE FILE
compare_file() {
	a=$(unpacked "$1" unpacked.original)
	b=$(unpacked "$2" unpacked.nsplit)
	form_of "$a" > form.original
	form_of "$b" > form.nsplit
	[ "$form" != - ] || form=same
	cmp -s form.original form.nsplit || {
		form=DIFFERENT
		differs "the form of ${1##*/}" form.original form.nsplit
		return
	}
	case $(cat form.original) in
	empty) ;;
	text) compare_text "$a" "$b" ;;
	ELF | flattened) compare_cores "$a" "$b" ;;
	*) compare_dumps "$a" "$b" ;;
	esac
}

# compare_files: sets files, form and pages
compare_files() {
	list_files original
	list_files nsplit
	form=- pages=
	same_text files original/list nsplit/list
	files=$cell
	[ -s original/list ] || [ -s nsplit/list ] || files=-
	[ "$cell" = same ] || return
	# What an incomplete dump has is a matter of chance.
	[ "$(cat original/status nsplit/status | tr -d '\n')" = 00 ] || return
	paste -d '\n' original/paths nsplit/paths > pairs
	grep '^[fb]' original/list > names
	while read -r one && read -r two; do
		compare_file "$one" "$two"
		read -r _ mode name <&7
		printf '%s: %s, mode %s: %s\n' "$compared" "${name#/}" "$mode" "$(paste -s -d ' ' form.original)" >> contents
	done < pairs 7< names
}

# compare_machines RECIPE ERRORS: prints the row of the table; ERRORS prints what is compared of standard error
compare_machines() {
	compared=$1 callers=no
	compare_files
	for who in original nsplit; do
		printed $who > $who/printed
		"$2" $who > $who/said
	done
	if [ "$2" = status_only ]; then
		stdout=-
	else
		same_text 'standard output' original/printed nsplit/printed
		stdout=$cell
	fi
	[ -s original/printed ] || [ "$stdout" != same ] || stdout=-
	same_text 'standard error' original/said nsplit/said
	stderr=$cell
	[ -s original/said ] || [ "$cell" != same ] || stderr=-
	same_text 'exit status' original/status nsplit/status
	printf '| %s | %s | %s | %s | %s | %s | %s | %s |\n' "$1" "$(cat original/status)" "$(cat nsplit/status)" \
		"$files" "$form" "${pages:--}" "$stdout" "$stderr" | sed 's/|  */| /g'
	[ $callers = no ] || printf ' %s' "$1" >> callers
}
