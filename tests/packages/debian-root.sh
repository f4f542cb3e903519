# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the scripts that make the root file system of a Debian.

# debian_mirror [CODENAME]: prints the mirror from which this machine's apt gets that release, or any
debian_mirror() {
	# shellcheck disable=SC2016 # for apt
	apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(COMPONENT) $(REPO_URI)' \
		'Created-By: Packages' | awk -v name="${1:-[a-z]+}" \
		'$1 == "Debian" && $2 ~ "^" name "$" && $3 == "main" { print $4; exit }'
}

# debian_finished ROOT: completes the result of debootstrap with what every booted Debian has, and
# with this machine's way to the mirror
debian_finished() {
	# A proxy, for instance.
	apt-config dump | grep -Ei '^Acquire::https?::' > "$1/etc/apt/apt.conf.d/00here" || :
	# The mirror may lag behind for longer than sid's lists are valid.
	echo 'Acquire::Check-Valid-Until "false";' >> "$1/etc/apt/apt.conf.d/00here"
	# Without this link, libfuse writes a list of its own.
	ln -s ../proc/self/mounts "$1/etc/mtab"
}
