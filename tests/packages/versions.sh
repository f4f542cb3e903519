#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The packages have the version of the programs; packages/release.sh writes it, and the addresses, to all files.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

nsplit --version | sed -n '1s/.* //p' > want
sed -n '1s/^nsplit (\(.*\)) .*/\1/p' "$srcdir/debian/changelog" > deb
same deb want
sed -n 's/^Version: *//p' "$builddir/packages/nsplit.spec" > rpm
same rpm want

mkdir tree
for name in configure.ac HACKING.md Makefile.am README.md SECURITY.md NEWS debian doc fakevmcore kdump man misc packages src; do
	cp -r "$srcdir/$name" tree/
done
chmod -R u+w tree
cd tree || exit
# What configure has made, if it was run here.
rm -f packages/nsplit.spec

# release: runs it, and leaves its output in the file said
release() {
	sh packages/release.sh > ../said 2> ../said.err || fail "release.sh: $(cat ../said.err)"
}

release
[ ! -s ../said ] || fail "files that do not agree with configure.ac: $(cat ../said)"
[ ! -s ../said.err ] || fail "$(cat ../said.err)"
address=$(sed -n 's/^AC_INIT.*\[\(.*@[^]]*\)\].*/\1/p' configure.ac)
page=$(sed -n 's/^AC_INIT.*\[\(https:[^]]*\)\].*/\1/p' configure.ac)
version=$(cat ../want)

sed -i "/^AC_INIT/{ s|$address|bugs@other.test|; s|$page|https://other.test/n|; s|$version|9.8.7|; }" configure.ac
release
grep -q 'debian/changelog has no entry for 9.8.7' ../said.err || fail 'debian/changelog is not mentioned'
! grep -rnF -e "$address" -e "$page" . > ../left || fail "release.sh leaves $(cat ../left)"
for line in 'Maintainer: nsplit maintainers <bugs@other.test>' 'Homepage: https://other.test/n' \
	'Vcs-Git: https://other.test/n.git'; do
	grep -qxF "$line" debian/control || fail "debian/control has no line $line"
done
grep -qF 'https://other.test/n/tags' debian/watch || fail "debian/watch: $(cat debian/watch)"
grep -qF '<bugs@other.test>' SECURITY.md || fail 'SECURITY.md names another address'
grep -qx 'PACKAGE_VERSION="9.8.7"' fakevmcore/dkms.conf || fail "dkms.conf: $(cat fakevmcore/dkms.conf)"
for page in man/*.[1-8]; do
	grep -q '^\.TH .* "nsplit 9\.8\.7" ' "$page" || fail "$page: another version"
	grep -A 1 '^\.SH REPORTING BUGS' "$page" | grep -qF 'bugs@other.test>; home page: <https://other.test/n>.' ||
		fail "$page: REPORTING BUGS"
done
release
[ ! -s ../said ] || fail "a second time, release.sh changes $(cat ../said)"

# Of an archive with files of the future, make would never end.
mkdir -p n/debian
touch -d tomorrow n/debian/changelog
tar -czf n.tar.gz n
! sh -c 'program=deb; . packages/lib.sh; scratch_make; clock_right n' 2> ../said.err || fail 'an archive of the future is built'
grep -q '^deb: debian/changelog is of .* but the clock says' ../said.err || fail "$(cat ../said.err)"
touch -d yesterday n/debian/changelog
tar -czf n.tar.gz n
sh -c 'program=deb; . packages/lib.sh; scratch_make; clock_right n' || fail 'an archive of the past is refused'
