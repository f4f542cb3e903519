#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sh state.sh ROOT: lists all files there, one a line: kind, owner, mode, name, link target; and
# then the contents of each file.  Times are not included, since those of directories change.

set -eu

LC_ALL=C
export LC_ALL
cd "${1:?}"

# Not included is what apt, dpkg and others record about every installation: logs, backups, and
# files that they generate.
set -- -false
for name in \
	var/cache/apt/archives/lock \
	var/cache/debconf/config.dat-old \
	var/cache/debconf/templates.dat-old \
	var/cache/ldconfig/aux-cache \
	var/lib/dpkg/diversions-old \
	var/lib/dpkg/statoverride-old \
	var/lib/dpkg/status-old \
	var/log/alternatives.log \
	var/log/apt/eipp.log.xz \
	var/log/apt/history.log \
	var/log/apt/term.log \
	var/log/dpkg.log
do
	set -- "$@" -o -path "./$name"
done
# An empty list of automatically installed packages: the file exists once there was one.
set -- "$@" -o -path ./var/lib/apt/extended_states -empty

# everything ACTION...: for all files that are included
everything() {
	find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./packages \) -prune -o \
		"$@"
}

everything \( "$@" \) -o -printf '%y %U:%G %m %P %l\n' | sort
everything \( "$@" \) -o -type f -exec sha256sum {} + | sort -k 2
