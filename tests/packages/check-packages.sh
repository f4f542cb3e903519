#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The packages: built by a user without root and network, examined by lintian and, if it is installed,
# rpmlint, installed in a clean Debian, used there, and removed without a trace.  From the build directory, as root:
#	make check-packages
# This needs 1.5 GiB in TMPDIR, and uses the mirror of this machine's apt.
#
# NSPLIT_SHORT=1 skips the kernel module, which needs 400 MB for a compiler and headers, and the tests
# during the build of the packages.  PACKAGES=deb skips the RPM packages.
#
# Exit status: 0 all checks passed, or requirements are missing, as the last line says; 1 checks failed.

set -eu

LC_ALL=C
DEBIAN_FRONTEND=noninteractive
export LC_ALL DEBIAN_FRONTEND
unset CDPATH MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES DESTDIR
umask 022
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/packages/debian-root.sh
. "$here/debian-root.sh"
builddir=$(cd "${builddir:-.}" && pwd)
PATH=$PATH:/usr/sbin:/sbin
archive=${1:?}
log=$builddir/tests/packages/check-packages.log
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
packages=${PACKAGES:-deb rpm}
scratch=
running=
passed=0

clean() {
	# This also ends all its processes and mounts.
	[ -z "$running" ] || { kill -s KILL "$running" && wait "$running" || :; } 2> /dev/null
	cd /
	[ -z "$scratch" ] || rm -rf --one-file-system "$scratch"
}

trap clean EXIT
# The exit runs the EXIT trap above.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

skip() {
	printf 'check-packages: skipped: %s\n' "$*"
	exit 0
}

fail() {
	tail -n 40 "$log"
	printf 'check-packages: FAILED: %s; see %s\n' "$*" "$log"
	exit 1
}

# check WHAT: reports that this check passed
check() {
	passed=$((passed + 1))
	printf 'ok: %s\n' "$*"
}

# show COMMAND...: prints the command's output, indented
show() {
	"$@" | sed 's/^/    /'
}

# isolated COMMAND...: runs it with its own mounts and processes, which end with it, and its own
# /proc; in the background, so that this script handles signals at once
isolated() {
	unshare --pid --mount-proc --fork --kill-child "$@" >> "$log" 2>&1 < /dev/null &
	running=$!
	isolated_status=0
	wait "$running" || isolated_status=$?
	running=
	return "$isolated_status"
}

# as_nobody COMMAND...: runs it without root, network and home
as_nobody() {
	isolated --net setpriv --reuid=nobody --regid=nogroup --clear-groups \
		env -i PATH="$PATH" LC_ALL=C HOME=/nonexistent TMPDIR="$scratch/user/tmp" \
		DEB_BUILD_OPTIONS="${NSPLIT_SHORT:+nocheck}" \
		DEB_BUILD_PROFILES=pkg.nsplit.makedumpfile \
		RPMBUILD_OPTIONS='--without check --with makedumpfile' "$@"
}

# within STEP...: runs tests/packages/inside.sh in the clean system
within() {
	# shellcheck disable=SC2016 # for the shell there
	isolated sh -ec 'root=$1
		shift
		mount -t proc proc "$root/proc"
		if [ -c /dev/fuse ]; then
			: > "$root/dev/fuse"
			mount --bind /dev/fuse "$root/dev/fuse"
		fi
		exec chroot "$root" sh /packages/inside.sh "$@"' within "$scratch/root" "$@"
}

needs_or_skip() {
	[ "$(id -u)" -eq 0 ] || skip 'making a clean system requires root'
	set -- debootstrap dpkg-buildpackage dh lintian cpio dash unshare setpriv
	[ "$packages" = deb ] || set -- "$@" rpmbuild eu-strip rpm rpm2cpio
	for needed; do
		command -v "$needed" > /dev/null || skip "$needed is not installed"
	done
	[ -s "$keyring" ] || skip "$keyring does not exist (package debian-archive-keyring)"
	# shellcheck source=/dev/null
	codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME-}")
	mirror=$(debian_mirror "$codename")
	[ -n "$mirror" ] || skip "apt has no mirror of Debian $codename; try apt-get update"
	unshare --pid --mount-proc --net --fork true 2>> "$log" || skip 'unshare is not allowed here'
}

packages_made() {
	mkdir "$scratch/user" "$scratch/user/build" "$scratch/user/tmp"
	tar -xzf "$builddir/$archive.tar.gz" -C "$scratch/user"
	chown -R nobody:nogroup "$scratch/user"
	cd "$scratch/user/build"
	as_nobody "../$archive/configure" --silent || fail 'configure'
	as_nobody make -s deb || fail 'make deb'
	show ls -s --block-size=K ./*.deb
	check 'make deb: by nobody, out of the tree, without a network'
	dpkg-deb --fsys-tarfile ./nsplit_*.deb | tar -xO ./usr/bin/nsplit > nsplit.packaged
	grep -q calloc nsplit.packaged || fail 'the packaged nsplit cannot be read'
	# Those of its own name a source file; nettle and libblkid, which it contains, have theirs in any form.
	! grep -qaE 'src/(base|capture|cmd|io)/[a-z/_]*\.c' nsplit.packaged || fail 'the packaged nsplit has assertions'
}

lintian_clean() {
	# shellcheck disable=SC2016 # for the shell there
	as_nobody sh -c 'lintian-explain-tags --list-tags | grep -Fxf "$1" > lintian.tags
		lintian -EI --pedantic --suppress-tags-from-file lintian.tags ./*.changes > lintian.out 2>&1' lintian \
		"../$archive/packages/lintian-suppressed" || fail "lintian: $(cat lintian.out)"
	[ ! -s lintian.out ] || fail "lintian: $(cat lintian.out)"
	check 'lintian -EI --pedantic: nothing to say'
}

rpmlint_clean() {
	command -v rpmlint > /dev/null || {
		printf 'skipped: rpmlint is not installed\n'
		return
	}
	# shellcheck disable=SC2016 # for the shell there
	as_nobody sh -c 'rpmlint --strict --config "$1" ./*.rpm packages/nsplit.spec > rpmlint.out 2>&1' rpmlint \
		"../$archive/packages/rpmlint.toml" || fail "rpmlint: $(cat rpmlint.out)"
	check 'rpmlint --strict: no error, no warning'
}

# files_of FORM: lists the files of the packages in a form common to both kinds.  Debian's zsh looks for
# completions in a directory of its own, its makedumpfile is in another one, and dpkg-divert keeps the original and
# its manual page.
files_of() {
	case $1 in
	deb) for package in ./*.deb; do
		case $package in *-dbgsym_*) ;; *) dpkg-deb --fsys-tarfile "$package" | tar -t ;; esac
	done ;;
	rpm) for package in ./*.rpm; do
		case $package in *.src.rpm) ;; *) rpm -qpl "$package" 2>> "$log" ;; esac
	done ;;
	esac | sed 's|^\./|/|; s|\.gz$||; s|/zsh/vendor-completions/|/zsh/site-functions/|; s|^/usr/sbin/|/usr/bin/|' |
		grep -v -e '/$' -e '/licenses/' -e '/\.build-id' -e '/makedumpfile\.distrib$' \
		-e '/copyright$' -e '/changelog$' -e '^/usr/lib/debug' -e '^/usr/share/lintian/' \
		-e '/man8/makedumpfile\.8$' | sort -u
}

rpm_made() {
	as_nobody make -s rpm || fail 'make rpm'
	show ls -s --block-size=K ./*.rpm
	files_of deb > deb.files
	# rpm also lists directories.
	files_of rpm > rpm.some
	grep -Fx -f deb.files rpm.some > rpm.files || :
	diff deb.files rpm.files >> "$log" || fail 'the RPM packages contain other files'
	# A directory is the beginning of another name; anything else is a file of the RPM packages
	# alone.
	grep -vFx -f deb.files rpm.some | while read -r directory; do
		grep -q "^$directory/" deb.files || printf '%s\n' "$directory"
	done > rpm.alone
	[ ! -s rpm.alone ] || fail "only in the RPM packages: $(cat rpm.alone)"
	check "make rpm: the same $(wc -l < deb.files) files"
}

# rpm_used: this needs a root file system of its own, since Debian has no RPM packages
rpm_used() {
	printf 'check-packages: rpm-makedumpfile\n' >> "$log"
	isolated sh "$here/rpm-makedumpfile.sh" . ||
		fail 'the RPM packages: makedumpfile is not replaced and restored'
	check 'the RPM packages: makedumpfile is nsplit in place of makedumpfile, and the original afterwards'
}

system_made() {
	isolated debootstrap --variant=minbase --keyring="$keyring" "$codename" "$scratch/root" \
		"$mirror" || fail 'debootstrap'
	debian_finished "$scratch/root"
	mkdir "$scratch/root/packages"
	cp ./*.deb "$here/inside.sh" "$scratch/root/packages"
	cp -r "$scratch/user/$archive/debian/tests" "$scratch/root/packages"
	within update || fail 'apt-get update'
	sh "$here/state.sh" "$scratch/root" > before
}

packages_installed() {
	set -- ./nsplit_*.deb ./nsplit-fuse_*.deb
	[ -n "${NSPLIT_SHORT-}" ] || set -- "$@" ./fakevmcore-dkms_*.deb linux-headers-amd64
	within install "$@" || fail "apt-get install $*"
	check "apt-get install $*"
	show grep '^Setting up \(nsplit\|fakevmcore\)' "$log"
}

# used STEP WHAT [LINES]: runs a step of inside.sh, and prints the last LINES of its output
used() {
	printf 'check-packages: %s\n' "$1" >> "$log"
	status=0
	within "$1" || status=$?
	if [ "$status" -eq 77 ]; then
		printf 'skipped: %s\n' "$(tail -n 1 "$log")"
		return
	fi
	[ "$status" -eq 0 ] || fail "$2"
	sed -n "\$!{H;d};H;x;s/.*check-packages: $1\\n//p" "$log" | show tail -n "${3-8}"
	check "$2"
}

packages_purged() {
	within purge || fail 'apt-get purge'
	sh "$here/state.sh" "$scratch/root" > after
	diff before after > "$scratch/difference" || {
		cat "$scratch/difference" >> "$log"
		fail 'files are left or changed after the removal'
	}
	check "removed without a trace: $(wc -l < before) names and contents as before"
}

mkdir -p "${log%/*}"
: > "$log"
needs_or_skip
scratch=$(mktemp -d "${TMPDIR:-/tmp}/nsplit-packages.XXXXXX")
chmod 755 "$scratch"
setpriv --reuid=nobody --regid=nogroup --clear-groups test -x "$scratch" ||
	fail "the user nobody, who builds the packages, cannot enter $scratch: choose another TMPDIR"
packages_made
lintian_clean
[ "$packages" = deb ] || {
	rpm_made
	rpmlint_clean
	rpm_used
}
system_made
packages_installed
used round-trip 'captured and put together there, with every codec'
used mount 'mounted there'
used makedumpfile 'makedumpfile is nsplit while nsplit-makedumpfile is installed, and the original afterwards' 1
used kdump 'the configuration of kdump-tools survives an upgrade, and is removed with the package' 1
[ -n "${NSPLIT_SHORT-}" ] || used module 'the kernel module is built there, by DKMS'
packages_purged
printf 'check-packages: %d checks passed\n' "$passed"
