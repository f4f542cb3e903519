#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sh state.sh ROOT: all that is in the file system there, a line each: what it is, its owner and
# mode, its name, where it leads, and its content.  Times are left out: directories change theirs.
#
# Left out, too, is what apt, dpkg and their kin write down of every installation that there was:
# their logs, what they keep from the run before, and what apt can make again from its lists.

set -eu
cd "${1:?}"

find . -xdev \
	\( -path ./proc -o -path ./sys -o -path ./dev -o -path ./packages \) -prune -o \
	\( -path './var/cache/apt/*.bin' -o -path './var/cache/apt/archives/lock' \
	-o -path './var/cache/debconf/*-old' -o -path './var/cache/ldconfig/aux-cache' \
	-o -path './var/lib/apt/extended_states' -o -path './var/lib/dpkg/status-old' \
	-o -path './var/lib/dpkg/available-old' -o -path './var/lib/dpkg/diversions-old' \
	-o -path './var/lib/dpkg/statoverride-old' -o -path './var/lib/dpkg/triggers/*' \
	-o -path './var/log/dpkg.log' -o -path './var/log/alternatives.log' \
	-o -path './var/log/apt/*' \) -prune -o \
	-printf '%y %U:%G %m %P %l\n' | LC_ALL=C sort

# Text that differs is worth seeing; the status file has a line for each removed package that
# leaves its configuration behind.
find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./packages \
	-o -path ./var/log -o -path ./var/cache -o -path ./var/lib/apt \
	-o -path './var/lib/dpkg/*-old' -o -path ./var/lib/dpkg/triggers \) -prune -o \
	-type f -exec sha256sum {} + | LC_ALL=C sort -k 2
