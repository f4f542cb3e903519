#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# "make rpm": the packages for systems with RPM, and the source package, from the archive of
# "make dist".
#	sh packages/make-rpm.sh DIRECTORY	DIRECTORY.tar.gz has the source, in DIRECTORY
# packages/nsplit.spec is configure's.
# RPMBUILD_OPTIONS='--without check' leaves the tests out.

# shellcheck source=packages/lib.sh
. "$(dirname "$0")/lib.sh"
program='make rpm'
directory=${1:?}

need rpmbuild rpm-build
scratch_make
mkdir "$scratch/SOURCES"
cp "$directory.tar.gz" "$scratch/SOURCES"

# Where rpm installs nothing, it knows nothing of what is installed.
nodeps=
[ -n "$(rpm -qa 2> /dev/null | head -n 1)" ] || nodeps=--nodeps
# Word splitting is wanted: these are options.
# shellcheck disable=SC2086
rpmbuild -ba $nodeps --define "_topdir $scratch" ${RPMBUILD_OPTIONS-} \
	packages/nsplit.spec > "$build/rpm.log" 2>&1 || {
	tail -n 40 "$build/rpm.log" >&2
	die 'rpmbuild failed; all that it said is in rpm.log'
}
keep "$scratch"/RPMS/*/*.rpm "$scratch"/SRPMS/*.rpm
