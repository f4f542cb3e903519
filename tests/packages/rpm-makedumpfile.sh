#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The RPM package nsplit-makedumpfile takes the place of makedumpfile, which kdump requires, and returns it.
# As root, with the packages of "make rpm" in DIRECTORY:
#	sh rpm-makedumpfile.sh DIRECTORY
# Debian has no RPM packages: those of makedumpfile, kdump and the libraries are made here, and all are
# installed in a root file system that has a shell, cp, touch, and the libraries themselves.

set -eu

LC_ALL=C
export LC_ALL
umask 022
packages=$(cd "${1:?}" && pwd)
scratch=$(mktemp -d "$packages/rpm-makedumpfile.XXXXXX")
trap 'cd / && rm -rf "$scratch"' EXIT
cd "$scratch"
root=$scratch/root
ours=$(echo "$packages"/nsplit-makedumpfile-*.noarch.rpm)
nsplit=$(echo "$packages"/nsplit-[0-9]*."$(uname -m)".rpm)

# made NAME: makes a package of the lines of its spec file on standard input
made() {
	{
		printf 'Name: %s\nVersion: 1.7.8\nRelease: 1\nSummary: %s\nLicense: none\nBuildArch: noarch\n' "$1" "$1"
		cat
	} > "$1.spec"
	rpmbuild -bb --define "_topdir $scratch/build" "$1.spec" > "$1.log" 2>&1 || {
		cat "$1.log"
		exit 1
	}
	mv build/RPMS/noarch/"$1"-1.7.8-1.noarch.rpm "$1.rpm"
}

packages_made() {
	rpm -qp --provides "$ours" | grep -x 'makedumpfile = 1\.7\.8'
	made makedumpfile <<- 'END'
		%description
		The original.
		%install
		mkdir -p %{buildroot}%{_sbindir}
		printf '#!/bin/sh\necho the original\n' > %{buildroot}%{_sbindir}/makedumpfile
		%files
		%attr(0755, root, root) %{_sbindir}/makedumpfile
	END
	made kdump <<- 'END'
		Requires: makedumpfile
		%description
		The package that requires it.
		%files
	END
	{
		rpm -qp --requires "$nsplit" "$ours" |
			sed -n '/^rpmlib\|^nsplit\|^config(/!s/^/Provides: /p' | sort -u
		printf '%%description\nWhat the system has.\n%%files\n'
	} | made system
}

# program FILE: copies it and its libraries into the root file system
program() {
	mkdir -p "$root/usr/bin"
	cp -L "$1" "$root/usr/bin/"
	libraries "$1"
}

# libraries FILE
libraries() {
	ldd "$1" | sed -n 's|^[^/]*\(/[^ ]*\).*|\1|p' | while read -r library; do
		mkdir -p "$root${library%/*}"
		cp -L "$library" "$root$library"
	done
}

root_made() {
	mkdir -p "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64" "$root/etc/sysconfig"
	for directory in bin sbin lib lib64; do
		ln -s usr/$directory "$root/$directory"
	done
	program "$(command -v dash)"
	ln -s dash "$root/usr/bin/sh"
	program "$(command -v cp)"
	program "$(command -v touch)"
	rpm2cpio "$nsplit" > nsplit.cpio
	mkdir unpacked
	(cd unpacked && cpio --quiet -id ./usr/bin/nsplit < ../nsplit.cpio)
	libraries unpacked/usr/bin/nsplit
}

in_root() {
	rpm --root "$root" "$@"
}

# refused TEXT ARGUMENT...: rpm does not do that, and says TEXT
refused() {
	text=$1
	shift
	! in_root "$@" > refused 2>&1
	cat refused
	grep -q "$text" refused
}

# touched SINCE: kdump finds its configuration newer than the initramfs
touched() {
	test -n "$(find "$root/etc/kdump.conf" -newer "$1")"
	touch -d @0 "$root/etc/kdump.conf"
}

called() {
	env -i PATH=/usr/sbin:/usr/bin chroot "$root" makedumpfile "$@"
}

# is_nsplit: makedumpfile is nsplit, and the original is beside it
is_nsplit() {
	test "$(readlink -f "$root/usr/sbin/makedumpfile")" = "$root/usr/bin/nsplit"
	test "$(chroot "$root" /usr/sbin/makedumpfile.distrib)" = 'the original'
	called -v > version
	version=$(chroot "$root" /usr/bin/nsplit --version | sed -n '1s/.* //p')
	test "$(head -n 1 version)" = "makedumpfile: version 1.7.8 (nsplit $version)"
}

# is_original: makedumpfile is the original, and nothing else is left
is_original() {
	test "$(called)" = 'the original'
	test ! -L "$root/usr/sbin/makedumpfile"
	test ! -e "$root/usr/sbin/makedumpfile.distrib"
}

set -x
packages_made
root_made
: > "$root/etc/kdump.conf"
touch -d @0 "$root/etc/kdump.conf"
touch -d @1 image
in_root -i system.rpm "$nsplit" makedumpfile.rpm kdump.rpm
is_original
# Only one of them, and always one of them, can be installed.
refused 'conflicts with' -i "$ours"
refused 'is needed by' -e makedumpfile
# rpm cannot exchange two packages in one transaction, as dnf and zypper do; so it is told to ignore what
# is wrong for a moment.
in_root -i --nodeps --replacefiles "$ours"
in_root -e --nodeps makedumpfile
is_nsplit
touched image
refused 'is needed by' -e nsplit-makedumpfile
# A second installation does not take the link for the original.
in_root -U --force "$ours"
is_nsplit
touched image
in_root -i --nodeps --replacefiles makedumpfile.rpm
in_root -e nsplit-makedumpfile
is_original
touched image
# Without an original.
in_root -e --nodeps makedumpfile
in_root -i "$ours"
test -L "$root/usr/sbin/makedumpfile"
test ! -e "$root/usr/sbin/makedumpfile.distrib"
in_root -e --nodeps nsplit-makedumpfile
test ! -L "$root/usr/sbin/makedumpfile"
set +x
echo 'makedumpfile: replaced and restored'
