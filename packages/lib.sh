# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the scripts that make packages begin with.  They run in the build directory, where make
# has put the archive of the source, and work in a directory there that goes away.

set -eu

LC_ALL=C
export LC_ALL
unset CDPATH
# The package's own make is not a part of ours.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES DESTDIR
umask 022

build=$PWD
scratch=$build/packages-scratch

clean() {
	cd "$build"
	rm -rf "$scratch"
}

die() {
	printf '%s: %s\n' "${program:?}" "$*" >&2
	exit 1
}

# need COMMAND PACKAGE
need() {
	command -v "$1" > /dev/null || die "$1 is not installed; its package is called $2"
}

# scratch_make: an empty one, also after a run that was killed
scratch_make() {
	trap clean EXIT
	# Exit from a trap runs the one above.
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	rm -rf "$scratch"
	mkdir "$scratch"
}

# keep FILE...: moves what was made to the build directory, and says so
keep() {
	for kept; do
		mv -f "$kept" "$build/"
		printf '%s\n' "${kept##*/}"
	done
}
