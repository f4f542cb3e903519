#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# "make deb": makes the packages for Debian, and the source package, from the archive of "make dist".
#	sh packages/make-deb.sh DIRECTORY	the source is DIRECTORY in DIRECTORY.tar.gz
# DEB_BUILD_OPTIONS=nocheck skips the tests; DEB_BUILD_PROFILES=pkg.nsplit.makedumpfile adds nsplit-makedumpfile.

# shellcheck source=packages/lib.sh
. "$(dirname "$0")/lib.sh"
program='make deb'
directory=${1:?}

need dpkg-buildpackage dpkg-dev
need dh debhelper
scratch_make
clock_right "$directory"
tar -xzf "$directory.tar.gz" -C "$scratch"
cd "$scratch/$directory"
# dpkg-checkbuilddeps itself prints what is missing: one line with the names of the packages.  What only the
# tests need is not missing without them.
case ${DEB_BUILD_OPTIONS-} in
*nocheck*) profiles="${DEB_BUILD_PROFILES-} nocheck" ;;
*) profiles=${DEB_BUILD_PROFILES-} ;;
esac
DEB_BUILD_PROFILES=$profiles dpkg-checkbuilddeps || die 'install these packages first'
say_building "${DEB_BUILD_OPTIONS-}" nocheck 'DEB_BUILD_OPTIONS=nocheck' 'about 6 minutes'
dpkg-buildpackage --no-sign --jobs-try=auto --no-check-builddeps > "$build/deb.log" 2>&1 || {
	tail -n 40 "$build/deb.log" >&2
	die 'dpkg-buildpackage failed; see deb.log'
}
keep ../*.deb ../*.dsc ../*.tar.* ../*.changes ../*.buildinfo
