#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs inside the clean Debian, where /packages contains the packages and their tests.
#	sh inside.sh update		updates the lists of packages
#	sh inside.sh install PACKAGE...	installs them without recommended packages
#	sh inside.sh TEST		runs round-trip or mount
#	sh inside.sh kdump		checks the links of kdump-tools-save at an upgrade and a removal
#	sh inside.sh makedumpfile	checks that nsplit-makedumpfile takes the place of makedumpfile, and
#					returns it, in each order of installing and removing them
#	sh inside.sh module		builds fakevmcore with DKMS for a kernel whose headers it installs
#	sh inside.sh purge		purges the packages and everything that came with them

set -eu

LC_ALL=C
DEBIAN_FRONTEND=noninteractive
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL DEBIAN_FRONTEND PATH
unset CDPATH TMPDIR
cd /packages

# There is no terminal, and the files need not survive a power failure.
apt() {
	apt-get -q -y --no-install-recommends -o APT::Sandbox::User=root -o Dpkg::Use-Pty=0 \
		-o Dpkg::Options::=--force-unsafe-io "$@"
}

# systemd is not installed here.  These stubs replace a systemd that does not run, as in an image.
stand_for_systemd() {
	for command in systemctl systemd-escape; do
		printf '#!/bin/sh\nexit 1\n' > /usr/bin/$command
		chmod +x /usr/bin/$command
	done
}

# is_status STATUS TEXT: kdump-tools-save status ends with STATUS, and prints a line that contains TEXT
is_status() {
	exited=0
	/usr/libexec/nsplit/kdump-tools-save status > status.out 2>&1 || exited=$?
	cat status.out
	test $exited -eq "$1"
	grep -F "$2" status.out
	rm status.out
}

kdump() {
	units=/etc/systemd/system
	stand_for_systemd
	set -- $units/kdump-tools-dump.service.d/nsplit.conf $units/kdump-tools.service.d/nsplit.conf
	is_status 3 'nsplit is not enabled'
	/usr/libexec/nsplit/kdump-tools-save enable
	is_status 1 'kdump-tools is not installed'
	# The package enables no unit.  As "systemctl enable nsplit-join.service" does.
	test -s /usr/lib/systemd/system/nsplit-kdump-check.service
	mkdir -p $units/multi-user.target.wants
	link=$units/multi-user.target.wants/nsplit-join.service
	test ! -e "$link"
	ln -s /usr/lib/systemd/system/nsplit-join.service "$link"
	set -- "$@" "$link"
	printf '[Unit]\n' > $units/kdump-tools.service.d/administrator.conf
	apt install --reinstall ./nsplit_*.deb
	for link; do
		test -L "$link"
		test -s "$link"
	done
	# A mistake there does not prevent it.
	echo 'KDUMP_COREDIR="' > /etc/default/kdump-tools
	apt remove nsplit
	rm /etc/default/kdump-tools
	for link; do
		test ! -L "$link"
	done
	test ! -e $units/kdump-tools-dump.service.d
	rm $units/kdump-tools.service.d/administrator.conf
	rmdir $units/kdump-tools.service.d
	rmdir --ignore-fail-on-non-empty $units/multi-user.target.wants
	apt install ./nsplit_*.deb
	is_status 3 'nsplit is not enabled'
	# Enabled when it is purged.
	/usr/libexec/nsplit/kdump-tools-save enable
	rm /usr/bin/systemctl /usr/bin/systemd-escape
	printf '%s links: exist when enabled and after an upgrade, are removed with the package\n' $#
}

# is_original FILE: it is the program of the package makedumpfile
is_original() {
	test ! -L "$1"
	md5sum "$1" | sed "s|$1|usr/bin/makedumpfile|" | diff - original.md5
}

# is_nsplit: makedumpfile is nsplit
is_nsplit() {
	test "$(readlink /usr/bin/makedumpfile)" = nsplit
	makedumpfile -v > version
	test "$(head -n 1 version)" = \
		"makedumpfile: version 1.7.8 (nsplit $(nsplit --version | sed -n '1s/.* //p'))"
}

# is_replaced: makedumpfile is nsplit, and the original is beside it and works
is_replaced() {
	is_nsplit
	is_original /usr/bin/makedumpfile.distrib
	makedumpfile.distrib -v | grep '^makedumpfile: version'
}

# is_restored: makedumpfile is the original, and nothing is left of the diversion
is_restored() {
	is_original /usr/bin/makedumpfile
	test ! -e /usr/bin/makedumpfile.distrib
	test -z "$(dpkg-divert --list '*makedumpfile*')"
}

# fails_to_install PACKAGE: makes a package that has the same version and whose preinst fails after the
# diversion, and tries to install it
fails_to_install() {
	rm -rf failing
	dpkg-deb -R "$1" failing
	echo 'exit 1' >> failing/DEBIAN/preinst
	dpkg-deb -b failing failing.deb
	! dpkg -i failing.deb
	rm -r failing failing.deb
}

makedumpfile_package() {
	ours=$(echo ./nsplit-makedumpfile_*.deb)
	apt install makedumpfile
	grep ' usr/bin/makedumpfile$' /var/lib/dpkg/info/makedumpfile.md5sums > original.md5
	is_restored
	apt install "$ours"
	is_replaced
	# An upgrade of either package.
	apt install --reinstall "$ours"
	is_replaced
	apt install --reinstall makedumpfile
	is_replaced
	# An upgrade that fails leaves everything as it is.
	fails_to_install "$ours"
	is_replaced
	apt remove nsplit-makedumpfile
	is_restored
	# So does a first installation that fails.
	fails_to_install "$ours"
	dpkg --purge nsplit-makedumpfile
	is_restored
	# Without the original, and with an original that is installed later.
	apt remove makedumpfile
	apt install "$ours"
	is_nsplit
	test ! -e /usr/bin/makedumpfile.distrib
	apt install makedumpfile
	is_replaced
	# The original is removed, and then nsplit.
	apt remove makedumpfile
	is_nsplit
	apt purge nsplit-makedumpfile
	test ! -e /usr/bin/makedumpfile
	apt install makedumpfile "$ours"
	apt purge nsplit-makedumpfile
	is_restored
	rm original.md5 version
	echo 'makedumpfile: replaced and restored'
}

case ${1:?} in
update)
	apt update
	apt clean
	;;
install)
	shift
	apt install "$@"
	;;
round-trip | mount)
	sh "tests/$1"
	# In the directory that zsh, which is not installed here, looks into.
	test -s /usr/share/zsh/vendor-completions/_nsplit
	;;
kdump) kdump ;;
makedumpfile) makedumpfile_package ;;
module)
	# DKMS asks for the running kernel, which is not installed here.
	kernel=$(ls /lib/modules)
	version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' /usr/src/fakevmcore-*/dkms.conf)
	dkms status "fakevmcore/$version" -k "$kernel"
	module=/lib/modules/$kernel/updates/dkms/fakevmcore.ko
	modinfo -F vermagic "$module" | grep "^$kernel "
	;;
purge)
	# apt knows only those that were installed.
	# shellcheck disable=SC2046 # words are wanted
	apt purge $(dpkg-query -W -f='${Package}\n' nsplit nsplit-fuse makedumpfile fakevmcore-dkms \
		linux-headers-amd64)
	# By default, suggested packages would stay, and apt suggests a compiler.
	apt -o APT::AutoRemove::RecommendsImportant=false \
		-o APT::AutoRemove::SuggestsImportant=false autoremove --purge
	apt clean
	# The files that depmod made for DKMS are normally removed with a kernel's image, which is
	# not installed here; if the directories contain anything else, they stay and are found.
	if [ -d /lib/modules ]; then
		rm -f /lib/modules/*/modules.*
		rmdir /lib/modules/* /lib/modules
	fi
	;;
*) exit 2 ;;
esac
