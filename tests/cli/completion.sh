#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What bash completes: no option of --help is missing, and values that can be listed are.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need bash
programs='nsplit njoin nsplit-bench mkfakevmcore'
[ ! -x "$builddir/nsplit-mount" ] || programs="$programs nsplit-mount"

# complete_words WORD...: what the last of them becomes, a line each, in out
complete_words() {
	# shellcheck disable=SC2016 # for the other shell
	expect_status 0 bash --norc -c 'set -u
		. "$1"
		shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_nsplit "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		[ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}" | sort' \
		bash "$srcdir/completions/nsplit" "$@"
	expect_err ""
}

# completes WANT WORD...: exactly to these words
completes() {
	want=$1
	shift
	complete_words "$@"
	[ "$(tr '\n' ' ' < out)" = "${want:+$want }" ] || fail "$*: '$(cat out)' and not '$want'"
}

for program in $programs; do
	"$program" --help | grep -o -e '--[a-z][a-z-]*[0-9]*' | sort -u > options
	[ "$(wc -l < options)" -gt 5 ] || fail "$program --help has no options"
	complete_words "$program" --
	sed 's/=$//' out | sort > offered
	same options offered
	completes "--help" "$program" --he
	# A SOURCE, an OUTPUT, a MEMBER: bash itself does files.
	completes "" "$program" ''
	completes "" "$program" -- --he
	bash --norc -c '. "$1"; complete -p "$2"' bash "$srcdir/completions/nsplit" "$program" > how
	[ "$(cat how)" = "complete -o default -F _nsplit $program" ] || fail "$(cat how)"
done

# What takes a value goes on in the same word; what may do without does not.
completes '--mem-limit=' nsplit --mem
completes '--progress' nsplit --prog
completes 'always auto' nsplit --direct = a
completes 'always auto never' nsplit --direct =
completes 'never' nsplit --mmap n
completes 'auto' nsplit core --progress = au
completes '' nsplit --progress a
completes '' nsplit --stats = core
completes '' nsplit -j ''
completes '' nsplit -q a

list_codecs
sort -o codecs codecs
completes "$( (cat codecs; echo auto) | sort | tr '\n' ' ' | sed 's/ $//')" nsplit -C ''
completes "$(tr '\n' ' ' < codecs | sed 's/ $//')" njoin --compress ''
completes 'raw,lzo' nsplit-bench --codecs = raw,lzo
completes 'raw' nsplit-bench -C ra
completes 'lzo,raw' nsplit-bench -C lzo,ra
completes 'drop keep' nsplit-bench --cache =
completes '' nsplit-mount --cache = k
completes 'elf kdump' njoin --format ''
completes '0400 0404 0440 0444' nsplit-mount --mode = ''
completes 'text' mkfakevmcore -p te

# A program that is not there offers nothing, and says nothing.
completes '' ./no-such-program --
