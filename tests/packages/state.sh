#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sh state.sh ROOT: all that is in the file system there, a line each: what it is, its owner and
# mode, its name, where it leads; and then the content of each file.  Times are left out:
# directories change theirs.

set -eu

LC_ALL=C
export LC_ALL
cd "${1:?}"

# Left out is what apt, dpkg and their kin write down of every installation that there was: their
# logs, what they keep from the run before, and what they make again from what is there.
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
# What came by itself with something else: a list that is empty, once there has been anything.
set -- "$@" -o -path ./var/lib/apt/extended_states -empty

# everything ACTION...: for all that is not left out
everything() {
	find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./packages \) -prune -o \
		"$@"
}

everything \( "$@" \) -o -printf '%y %U:%G %m %P %l\n' | sort
everything \( "$@" \) -o -type f -exec sha256sum {} + | sort -k 2
