#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command lines with which distributions call makedumpfile: each runs with the original program and with
# nsplit under its name, and what they leave is compared.  From the build directory, as root:
#	srcdir=.. CORE=vmcore tests/readers/recipes.sh
#
# A recipe runs as it stands, in an image of this machine whose /proc/vmcore is the core
# (recipes-machine.sh).  Prints a table.  A cell is "same", "DIFFERENT", or "-" (nothing to compare); pages are
# counted: those that both dumps have, and those that only one of them has.
#
# Environment:
#	CORE=FILE		an ELF core of a kernel that the original program knows
#	MAKEDUMPFILE=PROGRAM	the original program; default: makedumpfile.distrib or makedumpfile in PATH
#	KDUMP_UTILS=DIR		sources of kdump-utils (Fedora, RHEL), whose own scripts run as well
#	SUSE_KDUMP=DIR		likewise of kdump of openSUSE
#	KDUMP_TOOLS=DIR		likewise an unpacked package kdump-tools of Debian
#	RECIPES=LIST		only these recipes
#	TMPDIR			needs three times the size of the core, on a file system that can be the upper layer
#				of an overlay, such as ext4 or tmpfs
#
# Exit status: 0 nothing differs; 1 something differs; 2 usage, or a requirement is missing.

set -u

LC_ALL=C
export LC_ALL
unset CDPATH
# The configuration of this machine must not matter.
NSPLIT_CONFIG=
export NSPLIT_CONFIG
umask 022
srcdir=$(cd "${srcdir:-.}" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
readers_dir=$srcdir/tests/readers
PATH=$builddir:$PATH:/usr/sbin:/sbin
export srcdir builddir PATH

missing() {
	printf 'check-recipes: %s\n' "$*" >&2
	exit 2
}

have() {
	command -v "$1" > /dev/null
}

# --- outside: the requirements, and namespaces that end with their first process --------------------

# is_original PROGRAM: it is not nsplit
is_original() {
	case $("$1" -v 2>&1) in
	*nsplit*) return 1 ;;
	*'version '*) return 0 ;;
	*) return 1 ;;
	esac
}

# find_original: sets original
find_original() {
	for original in ${MAKEDUMPFILE:-makedumpfile.distrib makedumpfile}; do
		original=$(command -v "$original") && original=$(realpath "$original") && is_original "$original" &&
			return
	done
	missing "there is no original makedumpfile${MAKEDUMPFILE:+ at $MAKEDUMPFILE}; set MAKEDUMPFILE"
}

# source_directory NAME VALUE FILE: prints VALUE, a directory with FILE in it, as a full path
source_directory() {
	[ -n "$2" ] || return 0
	[ -f "$2/$3" ] || missing "$1: there is no $2/$3"
	realpath "$2"
}

requirements() {
	[ -n "${CORE-}" ] || missing 'usage: make check-recipes CORE=vmcore [MAKEDUMPFILE=PROGRAM] [KDUMP_UTILS=DIR] [SUSE_KDUMP=DIR]'
	core=$(realpath "$CORE")
	[ -r "$core" ] || missing "CORE: $CORE cannot be read"
	[ "$(id -u)" -eq 0 ] || missing 'only root can mount the image of a machine'
	for program in unshare setpriv mount chroot ip bash python3; do
		have "$program" || missing "$program is not installed"
	done
	find_original
	KDUMP_UTILS=$(source_directory KDUMP_UTILS "${KDUMP_UTILS-}" dracut/99kdumpbase/kdump.sh) || exit
	SUSE_KDUMP=$(source_directory SUSE_KDUMP "${SUSE_KDUMP-}" dracut/kdump-save) || exit
	KDUMP_TOOLS=$(source_directory KDUMP_TOOLS "${KDUMP_TOOLS-}" usr/sbin/kdump-config) || exit
	export core original KDUMP_UTILS SUSE_KDUMP KDUMP_TOOLS
}

inside=

clean() {
	# Everything in the namespaces is killed with their first process, and what it has mounted goes as well.
	[ -z "$inside" ] || {
		kill -s KILL "$inside"
		wait "$inside"
	} 2> /dev/null
	cd /
	# A process in the namespaces may still be ending.
	tries=0
	until rm -rf "$scratch" 2> /dev/null || [ $tries -ge 100 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
}

run_inside() {
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/nsplit-recipes.XXXXXX") || exit 2
	# shellcheck source=tests/at-exit.sh
	. "$srcdir/tests/at-exit.sh"
	RECIPES_INSIDE=yes scratch=$scratch setpriv --pdeathsig KILL \
		unshare --net --pid --mount --fork --kill-child --mount-proc sh "$readers_dir/recipes.sh" &
	inside=$!
	wait "$inside"
	status=$?
	inside=
	exit $status
}

[ -n "${RECIPES_INSIDE-}" ] || {
	requirements
	run_inside
}

# --- inside -----------------------------------------------------------------

# shellcheck source=tests/readers/recipes-machine.sh
. "$readers_dir/recipes-machine.sh"
# shellcheck source=tests/readers/recipes-compare.sh
. "$readers_dir/recipes-compare.sh"
# shellcheck source=tests/readers/recipes-lines.sh
. "$readers_dir/recipes-lines.sh"
# shellcheck source=tests/readers/recipes-scripts.sh
. "$readers_dir/recipes-scripts.sh"

# wanted RECIPE: it is to be run
wanted() {
	[ -z "${RECIPES-}" ] && return
	case " $RECIPES " in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

# on_machine WHO RECIPE: runs it there, and leaves its exit status, standard output and standard error beside
# the machine
on_machine() {
	machine_on "$1"
	! have "prepare_$2" || "prepare_$2" || missing "$2: the machine cannot be prepared"
	# shellcheck disable=SC2154 # machine_on sets both
	in_machine "recipe_$2" > "$machine/out" 2> "$machine/err"
	echo $? > "$machine/status"
	cat "$root/dev/console" >> "$machine/err"
	machine_ends
}

# recipe NAME [READ]: runs it with both programs; prints its row.  READ: a function that prints what the script reads
# from standard error; with status_only, it reads neither that nor standard output.
recipe() {
	wanted "$1" || return 0
	on_machine original "$1"
	on_machine nsplit "$1"
	compare_machines "$1" "${2:-last_lines}"
	machine_off original
	machine_off nsplit
}

# codec_recipe CODEC RECIPE: likewise, if the original program has the codec
codec_recipe() {
	wanted "$2" || return 0
	if "$original" -v 2>&1 | grep -q "^$1.*disabled"; then
		echo "not run: $2: the original program has no $1" >> notes
	else
		recipe "$2"
	fi
}

ip link set lo up
cd "$scratch" || exit 2
: > differences
: > notes
: > contents
: > callers
machine_keys
make_reference
table_head
run_lines
run_scripts
echo
[ ! -s callers ] ||
	echo "The original adds the thread or CPU to lines of the kernel log, which was not compared:$(cat callers)." >> notes
cat notes
echo
echo 'Files of both programs:'
cat contents
[ ! -s differences ] || {
	echo
	cat differences
	exit 1
}
