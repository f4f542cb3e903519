#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# "make rpm": makes the packages for systems with RPM, and the source package, from the archive of
# "make dist".
#	sh packages/make-rpm.sh DIRECTORY	the source is DIRECTORY in DIRECTORY.tar.gz
# configure makes packages/nsplit.spec.
# RPMBUILD_OPTIONS='--without check' skips the tests, '--with makedumpfile' adds nsplit-makedumpfile.

# shellcheck source=packages/lib.sh
. "$(dirname "$0")/lib.sh"
program='make rpm'
directory=${1:?}

need rpmbuild rpm-build
scratch_make
mkdir "$scratch/SOURCES"
cp "$directory.tar.gz" "$scratch/SOURCES"

say_building "${RPMBUILD_OPTIONS-}" 'without check' "RPMBUILD_OPTIONS='--without check'"

# On systems without RPM packages, rpm does not know what is installed.
nodeps=
[ -n "$(rpm -qa 2> /dev/null | head -n 1)" ] || nodeps=--nodeps
# A list of options.
# shellcheck disable=SC2086
rpmbuild -ba $nodeps --define "_topdir $scratch" ${RPMBUILD_OPTIONS-} \
	packages/nsplit.spec > "$build/rpm.log" 2>&1 || {
	tail -n 40 "$build/rpm.log" >&2
	die 'rpmbuild failed; see rpm.log'
}
keep "$scratch"/RPMS/*/*.rpm "$scratch"/SRPMS/*.rpm
