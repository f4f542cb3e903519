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
# Without it, the programs are not stripped, and the package with the debugging information is empty.
need eu-strip elfutils
scratch_make
clock_right "$directory"
mkdir "$scratch/SOURCES"
cp "$directory.tar.gz" packages/nsplit.spec "$scratch/SOURCES"
chmod 644 "$scratch"/SOURCES/*

say_building "${RPMBUILD_OPTIONS-}" 'without check' "RPMBUILD_OPTIONS='--without check'"

# Nothing in the packages depends on where and when they are built, as on Fedora; build_mtime_policy is the newer name
# of the clamp.
set -- --define '_buildhost reproducible' --define 'source_date_epoch_from_changelog 1' \
	--define 'use_source_date_epoch_as_buildtime 1' --define 'clamp_mtime_to_source_date_epoch 1' \
	--define 'build_mtime_policy clamp_to_source_date_epoch'
# On systems without RPM packages, rpm does not know what is installed, nor takes the directory out of the debugging
# information, of which the linker makes the build ID.  The packages name their optflags, but not these.  In Debian 12,
# brp-compress needs another shell than it says, and brp-strip leaves symbols, which go into no other package.
[ -n "$(rpm -qa 2> /dev/null | head -n 1)" ] || {
	set -- --nodeps --define '__brp_compress bash %{_rpmconfigdir}/brp-compress %{_prefix}' \
		--define '__brp_strip find %{buildroot}%{_bindir} -type f -exec %{__strip} -s {} +' "$@"
	CFLAGS="$(rpm -E %optflags) -ffile-prefix-map=$scratch/BUILD=."
	export CFLAGS
}

# The source package has the scripts with the name of the directory, and the others have a digest of a source package
# that is made with them.
packages() {
	cd "$scratch"
	# A list of options.
	# shellcheck disable=SC2086
	rpmbuild -bs "$@" --define '_topdir .' ${RPMBUILD_OPTIONS-} SOURCES/nsplit.spec &&
		rpmbuild -bb "$@" --define "_topdir $scratch" ${RPMBUILD_OPTIONS-} SOURCES/nsplit.spec
}

(packages "$@") > "$build/rpm.log" 2>&1 || {
	tail -n 40 "$build/rpm.log" >&2
	die 'rpmbuild failed; see rpm.log'
}
keep "$scratch"/RPMS/*/*.rpm "$scratch"/SRPMS/*.rpm
