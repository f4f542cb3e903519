# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What all that make the root file system of a Debian have in common.

# debian_mirror CODENAME: prints where this machine's apt gets Debian of that name from
debian_mirror() {
	# shellcheck disable=SC2016 # for apt
	apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(COMPONENT) $(REPO_URI)' \
		'Created-By: Packages' | awk -v name="$1" \
		'$1 == "Debian" && $2 == name && $3 == "main" { print $4; exit }'
}

# debian_finished ROOT: what debootstrap made there gets what every Debian that was booted has, and
# this machine's way to the mirror
debian_finished() {
	# A proxy, for instance.
	apt-config dump | grep -Ei '^Acquire::https?::' > "$1/etc/apt/apt.conf.d/00here" || :
	# libfuse writes a list of its own without this link.
	ln -s ../proc/self/mounts "$1/etc/mtab"
}
