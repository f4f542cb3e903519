#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What happens inside the clean Debian, where /packages has the packages and the tests that come
# with them.
#	sh inside.sh update		the lists of packages
#	sh inside.sh install PACKAGE...	with what they depend on, and nothing that is only recommended
#	sh inside.sh TEST		round-trip, or mount
#	sh inside.sh kdump		what kdump-tools is told, at an upgrade and at a removal
#	sh inside.sh module		of fakevmcore, by DKMS, for a kernel whose headers get installed
#	sh inside.sh purge		and all that came with them

set -eu

LC_ALL=C
DEBIAN_FRONTEND=noninteractive
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL DEBIAN_FRONTEND PATH
unset CDPATH TMPDIR
cd /packages

# There is no terminal, and what is written here need not outlive a power cut.
apt() {
	apt-get -q -y --no-install-recommends -o APT::Sandbox::User=root -o Dpkg::Use-Pty=0 \
		-o Dpkg::Options::=--force-unsafe-io "$@"
}

# systemd is not installed here.  These stand for a systemd that does not run, as in the root of
# another system: "enable" ends where it would ask it, and by then the links are made.
stand_for_systemd() {
	for command in systemctl systemd-escape; do
		printf '#!/bin/sh\nexit 1\n' > /usr/bin/$command
		chmod +x /usr/bin/$command
	done
}

kdump() {
	units=/etc/systemd/system
	stand_for_systemd
	set -- $units/kdump-tools-dump.service.d/nsplit.conf \
		$units/kdump-tools.service.d/nsplit.conf $units/nsplit-kdump-check.service
	/usr/libexec/nsplit/kdump-tools-save enable || :
	printf '[Unit]\n' > $units/kdump-tools.service.d/administrator.conf
	apt install --reinstall ./nsplit_*.deb
	for link; do
		test -L "$link"
		test -s "$link"
	done
	apt remove nsplit
	for link; do
		test ! -L "$link"
	done
	test ! -e $units/kdump-tools-dump.service.d
	rm $units/kdump-tools.service.d/administrator.conf
	rmdir $units/kdump-tools.service.d
	apt install ./nsplit_*.deb
	# And so it is purged.
	/usr/libexec/nsplit/kdump-tools-save enable || :
	rm /usr/bin/systemctl /usr/bin/systemd-escape
	printf '%s links: there when enabled, there after an upgrade, gone with the package\n' $#
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
round-trip | mount) sh "tests/$1" ;;
kdump) kdump ;;
module)
	# DKMS asks which kernel runs, and that is none of these.
	kernel=$(ls /lib/modules)
	version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' /usr/src/fakevmcore-*/dkms.conf)
	dkms status "fakevmcore/$version" -k "$kernel"
	module=/lib/modules/$kernel/updates/dkms/fakevmcore.ko
	modinfo -F vermagic "$module" | grep "^$kernel "
	;;
purge)
	# Of these, only what was installed is known to apt.
	# shellcheck disable=SC2046 # words are wanted
	apt purge $(dpkg-query -W -f='${Package}\n' nsplit nsplit-fuse fakevmcore-dkms \
		linux-headers-amd64)
	# What another package merely suggests would stay, and apt suggests a compiler.
	apt -o APT::AutoRemove::RecommendsImportant=false \
		-o APT::AutoRemove::SuggestsImportant=false autoremove --purge
	apt clean
	# What depmod made for DKMS is removed with a kernel's image, and there was none here;
	# with anything else in them, the directories would stay and be found.
	if [ -d /lib/modules ]; then
		rm -f /lib/modules/*/modules.*
		rmdir /lib/modules/* /lib/modules
	fi
	;;
*) exit 2 ;;
esac
