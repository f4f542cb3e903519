# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The headers of Debian's kernels, and the compilers that build modules with them, in the cache:
#	$cache/headers/RELEASE	what linux-headers-RELEASE and its packages contain
#	$cache/compilers/SUITE	a root file system with the suite's gcc for both architectures, and make
# The headers contain absolute paths, and the programs of kbuild need the libraries of their suite.  So
# make runs in a chroot, which takes root.
#
# The caller sets cache and kernels (the directory tests/kernels), and has read packages.sh and
# kernels.sh.

# What building a module needs, besides gcc and pahole.
headers_tools='bash coreutils dash diffutils findutils grep make mawk openssl sed'

# headers_get RELEASE: fetches and unpacks them, with the programs of kbuild for this machine
headers_get() {
	packages_once "$cache/headers/$1" headers_unpack "$1"
}

headers_unpack() {
	headers_dir=$cache/headers/$1
	headers_new=$headers_dir.new
	rm -rf "$headers_new"
	headers_own=linux-headers-$1:$(kernel_arch "$1")
	headers_common=linux-headers-$(printf '%s' "$1" | sed 's/-\(amd64\|arm64\|arm64-16k\)$//')-common
	packages_fetch "$headers_own" "$headers_common" &&
		packages_unpack "$headers_new" "$headers_own" "$headers_common" || return 1
	# A link to it leads to /usr/lib/PACKAGE/scripts.
	headers_kbuild=$(readlink "$headers_new/usr/src/linux-headers-$1/scripts")
	headers_kbuild=$(basename "$(dirname "$headers_kbuild")")
	packages_unpack "$headers_new" "$headers_kbuild:amd64" || return 1
	mv -T "$headers_new" "$headers_dir"
}

# headers_gcc RELEASE: prints the version of gcc that its headers demand
headers_gcc() {
	sed -n 's/^CC = .*gcc-\([0-9]*\)$/\1/p' "$cache/headers/$1/usr/src/linux-headers-$1/.kernelvariables"
}

# headers_suite GCC: prints the suite whose default compiler it is
headers_suite() {
	case $1 in
	10) echo bullseye ;;
	12) echo bookworm ;;
	14) echo trixie ;;
	*) echo sid ;;
	esac
}

# headers_compiler RELEASE: fetches and unpacks it, and sets headers_root
headers_compiler() {
	headers_version=$(headers_gcc "$1")
	headers_root=$cache/compilers/$(headers_suite "$headers_version")
	packages_once "$headers_root" headers_compiler_unpack
}

headers_compiler_unpack() {
	headers_pahole=pahole
	[ "$headers_version" -gt 10 ] || headers_pahole=dwarves
	# shellcheck disable=SC2086
	headers_names=$(packages_closure "$(headers_suite "$headers_version")" amd64 $headers_tools \
		$headers_pahole "gcc-$headers_version" "gcc-$headers_version-aarch64-linux-gnu")
	[ -n "$headers_names" ] || {
		echo "gcc $headers_version and its packages are not in $(headers_suite "$headers_version")" >&2
		return 1
	}
	headers_new=$headers_root.new
	rm -rf "$headers_new"
	# shellcheck disable=SC2086
	packages_fetch $headers_names && packages_unpack "$headers_new" $headers_names || return 1
	# Installing the packages would make these links.
	[ -e "$headers_new/bin/sh" ] || ln -s dash "$headers_new/bin/sh"
	[ -e "$headers_new/usr/bin/awk" ] || ln -s mawk "$headers_new/usr/bin/awk"
	mkdir "$headers_new/build"
	mv -T "$headers_new" "$headers_root"
}

# headers_make RELEASE DIRECTORY: builds the module in it; headers_get and headers_compiler came before
headers_make() {
	unshare --mount sh "$kernels/host/make-module.sh" "$headers_root" "$cache/headers/$1" "$1" "$2"
}
