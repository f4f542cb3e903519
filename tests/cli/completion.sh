#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The completions of bash, zsh and fish: they offer all options of --help=all, and the values that the
# programs accept.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need bash
programs='nsplit njoin nsplit-bench mkfakevmcore'
[ ! -x "$builddir/nsplit-mount" ] || programs="$programs nsplit-mount"
shells=bash
for shell in zsh fish; do
	! command -v $shell > /dev/null || shells="$shells $shell"
done

# complete_words WORD...: the completions of the last word in bash, a line each, in out
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

# completes WANT WORD...: bash offers exactly these words for the last word
completes() {
	want=$1
	shift
	complete_words "$@"
	[ "$(tr '\n' ' ' < out)" = "${want:+$want }" ] || fail "$*: '$(cat out)', expected '$want'"
}

# zsh_specs PROGRAM: the arguments that zsh's _arguments receives, a line each, in out
zsh_specs() {
	# shellcheck disable=SC2016 # for the other shell
	expect_status 0 zsh -f -c '_arguments() { print -rl -- "$@" }
		words=("$1")
		source "$2"' zsh "$1" "$srcdir/completions/_nsplit"
	expect_err ""
}

# fish_words LINE: fish's completions of a command line, a line each, in out
fish_words() {
	# shellcheck disable=SC2016 # for the other shell
	expect_status 0 env HOME="$PWD" fish --no-config -c 'source $argv[1]
		complete -C $argv[2]' "$srcdir/completions/nsplit.fish" "$1"
	expect_err ""
}

# options_in SHELL PROGRAM: the long options that the shell offers
options_in() {
	case $1 in
	bash) complete_words "$2" -- ;;
	zsh) zsh_specs "$2" && sed -n 's/^\*\(--[a-z0-9-]*\).*/\1/p' out > words && mv words out ;;
	fish) fish_words "$2 --" && cut -f 1 out > words && mv words out ;;
	esac
	sed 's/=$//' out | sort -u
}

# values_in SHELL PROGRAM OPTION: the values that the shell offers
values_in() {
	case $1 in
	bash) complete_words "$2" "$3" = "" ;;
	zsh)
		zsh_specs "$2"
		sed -n "s/^\\*$3=.*:(\\(.*\\))\$/\\1/p" out | tr ' ' '\n' > words
		mv words out
		;;
	fish) fish_words "$2 $3=" && cut -f 1 out | sed "s/^$3=//" > words && mv words out ;;
	esac
	sort -u out
}

# accepted PROGRAM OPTION: the values that the message about a wrong value lists, if it does
accepted() {
	"$1" "$2=?" 2>&1 < /dev/null |
		sed -n -e "s/^$1: $2 \\(takes\\|must be\\) \\([a-z0-9, ]*\\), not '?'\$/\\2/p" \
			-e "s/^$1: $2 '?' is not one of \\([a-z0-9, ]*\\)\$/\\1/p" |
		sed 's/, / /g; s/ or / /; s/ and / /' | tr ' ' '\n' | sort
}

lists=0
for program in $programs; do
	"$program" --help=all | grep -o -e '--[a-z][a-z-]*[0-9]*' | sort -u > options
	[ "$(wc -l < options)" -gt 5 ] || fail "$program --help has no options"
	for shell in $shells; do
		options_in "$shell" "$program" > offered
		same options offered
	done
	"$program" --help=all | sed -n 's/^ .*\(--[a-z-]*\)\[*=[A-Z].*/\1/p' > with_value
	while read -r option; do
		accepted "$program" "$option" > values
		[ -s values ] || continue
		lists=$((lists + 1))
		for shell in $shells; do
			values_in "$shell" "$program" "$option" > offered
			diff values offered ||
				fail "$shell: values of $program $option: those of the program are <"
		done
	done < with_value
	completes "--help" "$program" --he
	# bash itself completes a SOURCE, an OUTPUT or a MEMBER.
	completes "" "$program" ''
	completes "" "$program" -- --he
	bash --norc -c '. "$1"; complete -p "$2"' bash "$srcdir/completions/nsplit" "$program" > how
	[ "$(cat how)" = "complete -o default -F _nsplit $program" ] || fail "$(cat how)"
done
[ $lists -ge 11 ] || fail "only $lists options with a list of values"

# A required value follows in the same word, an optional one does not.
completes '--mem-limit=' nsplit --mem
completes 'all' nsplit --help =
for shell in $shells; do
	values_in "$shell" nsplit --help > offered
	[ "$(cat offered)" = all ] || fail "$shell: values of --help: $(cat offered)"
done
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
{ cat codecs && echo auto; } | sort > values
for shell in $shells; do
	values_in "$shell" nsplit --compress > offered
	same values offered
done
completes 'raw,lzo raw,lzohc' nsplit-bench --codecs = raw,lzo
completes 'raw' nsplit-bench -C ra
completes 'lzo,raw' nsplit-bench -C lzo,ra
completes 'keep members' nsplit-bench --cache =
completes '' nsplit-mount --cache = k
completes 'free,user' njoin --exclude = free,us
completes 'text' mkfakevmcore -p te

# A missing program has no completions and causes no message.
completes '' ./no-such-program --

# Without these, all of the above has passed, but for their completions.
need zsh fish

# On Debian, the package puts the file where zsh finds it.
if [ -e /etc/debian_version ]; then
	directory=$(sed -n 's/.* zshcompletiondir=//p' "$srcdir/debian/rules")
	zsh -f -c 'print -l $fpath' > directories
	grep -qxF "$directory" directories || fail "debian/rules: zsh does not look into '$directory'"
fi
