#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What happens inside the clean Debian, where /packages has the packages and the tests that come
# with them.
#	sh inside.sh update		the lists of packages
#	sh inside.sh install PACKAGE...	with what they depend on, and nothing that is only recommended
#	sh inside.sh TEST		round-trip, or mount
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
