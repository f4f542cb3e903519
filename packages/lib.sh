# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The beginning of the scripts that make packages.  They run in the build directory, where make has
# put the source archive, and use a temporary directory there.

set -eu

LC_ALL=C
export LC_ALL
unset CDPATH
# The make of the package must not be a sub-make of this one.
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
	command -v "$1" > /dev/null || die "$1 is not installed (package $2)"
}

# say_building OPTIONS WORD SETTING [TIME]: OPTIONS contain WORD if the tests are skipped, which SETTING
# does; otherwise they take TIME.  Nothing else is printed while the packages are built.
say_building() {
	tests="and running all tests${4:+, which takes $4}; $3 skips them"
	case $1 in
	*"$2"*) tests='without the tests' ;;
	esac
	printf '%s: building the packages %s\n' "${program:?}" "$tests" >&2
}

# clock_right DIRECTORY: the archive's files, which have the time of debian/changelog, are not of the future, where make
# would run configure again and again
clock_right() {
	[ -z "$(tar -xzf "$1.tar.gz" -C "$scratch" "$1/debian/changelog" &&
		find "$scratch/$1/debian/changelog" -newermt now)" ] ||
		die "debian/changelog is of $(date -r "$scratch/$1/debian/changelog"), but the clock says $(date): correct one of them"
}

# scratch_make: creates it, or empties it after a run that was killed
scratch_make() {
	trap clean EXIT
	# The exit runs the EXIT trap above.
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	rm -rf "$scratch"
	mkdir "$scratch"
}

# keep FILE...: moves the results to the build directory, and prints their names
keep() {
	for kept; do
		mv -f "$kept" "$build/"
		printf '%s\n' "${kept##*/}"
	done
}
