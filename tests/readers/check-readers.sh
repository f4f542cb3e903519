#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which programs read a dump, in which form: each reader gets each form of one core, and its output
# must be the same as for the core itself.  From the build directory:
#	tests/readers/check-readers.sh CORE		readers that need no symbols
#	tests/readers/check-readers.sh CORE VMLINUX	also crash and drgn, which do
# CORE is an ELF vmcore; VMLINUX is its kernel with debug information.
#
# Prints a table of readers and forms in Markdown, and the command of each row, with the file
# names used here.  A cell is "right", "WRONG" (not as for the core itself) or "limit" (the reader
# cannot read the core itself).  A reader that is not installed, and a form that this build does not
# make, are reported and skipped.  TMPDIR needs about three times the size of the core.
#
# Environment:
#	CODEC=NAME	captures with another codec than lzo
#	READERS=LIST	only these readers, as readers.sh names them
#	WITHOUT=LIST	cells that are not tried, such as crash-elf
#	WANTED=DIR	keeps there what each reader said of the core itself, as DIR/READER and
#			DIR/READER.err
#	TOOLS=DIR	programs here come before those that are installed; makedumpfile-newest is
#			tried beside makedumpfile
#	TIME_LIMIT=N	seconds that a reader has for one form (300)
#
# Exit status: 0 each cell that was tried is right; 1 some are wrong; 2 usage; 3 none is wrong, but
# there are limits.

set -u

LC_ALL=C
export LC_ALL
unset CDPATH
builddir=$(cd "${builddir:-.}" && pwd)
readers_dir=$(cd "$(dirname "$0")" && pwd)
PATH=${TOOLS:+$TOOLS:}$builddir:$builddir/tests/readers:$PATH:/usr/sbin:/sbin
codec=${CODEC:-lzo}
scratch=
failures=0
limits=0

[ $# -eq 1 ] || [ $# -eq 2 ] || {
	echo 'usage: check-readers.sh CORE [VMLINUX]' >&2
	exit 2
}
core=$(realpath "$1") || exit 2
vmlinux=
[ $# -eq 1 ] || vmlinux=$(realpath "$2") || exit 2
wanted=
[ -z "${WANTED-}" ] || wanted=$(realpath "$WANTED") || exit 2

have() {
	command -v "$1" > /dev/null
}

# shellcheck source=tests/readers/forms.sh
. "$readers_dir/forms.sh"
# shellcheck source=tests/readers/readers.sh
. "$readers_dir/readers.sh"

clean() {
	[ -z "$scratch" ] || {
		forms_end "$scratch"
		cd /
		rm -rf "$scratch"
	}
}

# shellcheck source=tests/at-exit.sh
. "$readers_dir/../at-exit.sh"

# Debian's makedumpfile supports neither Snappy nor zstd; pages that it copies keep their codec.
# knows_codec PROGRAM
knows_codec() {
	! "$1" -v 2>&1 | grep -q "^$codec.*disabled"
}

# suits READER FORM: the reader supports the form
suits() {
	case " ${WITHOUT-} " in
	*" $1-$2 "*) return 1 ;;
	esac
	case $1-$2 in
	makedumpfile_newest_log-kdump) knows_codec makedumpfile-newest || return 1 ;;
	makedumpfile_*-kdump) knows_codec makedumpfile || return 1 ;;
	esac
	case $1-$2 in
	cmp-elf | cmp-mount | gdb-elf | gdb-mount | njoin_log-elf | njoin_log-mount) ;;
	cmp-* | gdb-* | njoin_log-*) return 1 ;;
	makedumpfile_reassemble-split) ;;
	makedumpfile_reassemble-* | makedumpfile_*-split | drgn-split) return 1 ;;
	esac
}

# reference READER: its output for the core itself
reference() {
	case $1 in
	makedumpfile_reassemble) : ;;
	njoin_log) read_makedumpfile_log core ;;
	crash) read_crash core || {
		crash_options=--no_modules
		read_crash core
	} ;;
	*) "read_$1" core ;;
	esac
}

# command_of READER: prints the command in its function
command_of() {
	sed -n "/^read_$1()/,/^}/p" "$readers_dir/readers.sh" | sed '1d; $d; s/^/    /'
}

# cell READER FORM: prints the cell of the table
cell() {
	of=$(forms_files "$2")
	if [ -z "$of" ] || ! suits "$1" "$2"; then
		printf ' |'
		return
	fi
	if [ -n "$limit" ]; then
		printf ' limit |'
		limits=$((limits + 1))
		return
	fi
	# shellcheck disable=SC2086
	if "read_$1" $of > got 2> got.err && cmp -s want got; then
		printf ' right |'
	else
		printf ' WRONG |'
		failures=$((failures + 1))
		{
			printf '%s, %s:\n' "$1" "$2"
			cat got.err
			diff want got | head -n 20
		} >> errors
	fi
}

row() {
	printf '| %s |' "$1" | tr _ ' '
	limit=
	reference "$1" > want 2> want.err || {
		limit=yes
		printf '%s cannot read the core itself:\n' "$1" >> errors
		cat want.err >> errors
	}
	[ -z "$wanted" ] || {
		cp want "$wanted/$1"
		cp want.err "$wanted/$1.err"
	}
	for form in $forms_all; do
		cell "$1" "$form"
	done
	echo
}

readers() {
	echo cmp
	! have compare || echo libkdumpfile
	! have makedumpfile || echo makedumpfile_log
	! have makedumpfile-newest || echo makedumpfile_newest_log
	! have makedumpfile || ! have compare || echo makedumpfile_reassemble
	! have makedumpfile || echo makedumpfile_filter njoin_log
	! have gdb || echo gdb
	[ -z "$vmlinux" ] || ! have crash || echo crash
	[ -z "$vmlinux" ] || ! have drgn || echo drgn
}

table() {
	printf '| %s |' "$codec"
	for form in $forms_all; do
		printf ' %s |' "$form"
	done
	printf '\n|---|---|---|---|---|---|\n'
	for reader in $readers; do
		row "$reader"
	done
}

commands() {
	for reader in $readers; do
		printf '%s:\n\n' "$reader" | tr _ ' '
		command_of "$reader"
		echo
	done
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/nsplit-readers.XXXXXX") || exit 1
cd "$scratch" || exit 1
: > errors
ln -s "$core" core
forms_make "$codec" || exit 1
readers=${READERS:-$(readers)}
table
echo
commands
[ ! -s errors ] || cat errors >&2
[ "$failures" -eq 0 ] || {
	echo "check-readers: $failures cells are wrong" >&2
	exit 1
}
[ "$limits" -eq 0 ] || exit 3
