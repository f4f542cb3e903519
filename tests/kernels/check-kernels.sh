#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# nsplit on many kernels: crashes machines with Debian's kernels from 5.10 on, for amd64 and arm64, in
# QEMU's software emulation, and examines the cores.  From the build directory:
#	make check-kernels				all machines
#	make check-kernels KERNELS='5.10 arm64-7.3'	these only; see tests/kernels/machines
# Packages and cores are kept in the directory KERNELS_CACHE (default: nsplit-kernels in the user's
# cache directory): a core is made once, and examined each time.  REMAKE=yes makes it again;
# NSPLIT_SHORT=1 makes it without figures, examines it without symbols, and with less damage.
# At the end, prints the table of doc/readers.md, of the cores that were examined.
#
# Exit status: 0 all checks passed, or requirements are missing, as the last line says; 1 checks failed;
# 2 no such machine.

set -eu

LC_ALL=C
export LC_ALL
unset CDPATH
here=$(cd "$(dirname "$0")" && pwd)
srcdir=$(cd "$here/../.." && pwd)
readers_dir=$srcdir/tests/readers
builddir=$(cd "${builddir:-.}" && pwd)
PATH=$builddir:$builddir/tests/readers:$PATH:/usr/sbin:/sbin
scratch=
layers_memory=
check='check-kernels'

# shellcheck source=tests/packages/debian-root.sh
. "$here/../packages/debian-root.sh"
# shellcheck source=tests/kernel/host/needs.sh
. "$here/../kernel/host/needs.sh"
# shellcheck source=tests/kernel/host/image.sh
. "$here/../kernel/host/image.sh"
# shellcheck source=tests/kernels/host/needs.sh
. "$here/host/needs.sh"
# shellcheck source=tests/kernels/host/packages.sh
. "$here/host/packages.sh"
# shellcheck source=tests/kernels/host/kernels.sh
. "$here/host/kernels.sh"
# shellcheck source=tests/kernels/host/cross.sh
. "$here/host/cross.sh"
# shellcheck source=tests/kernels/host/words.sh
. "$here/host/words.sh"
# shellcheck source=tests/kernels/host/machine.sh
. "$here/host/machine.sh"
# shellcheck source=tests/kernels/host/core.sh
. "$here/host/core.sh"
# shellcheck source=tests/kernels/host/log.sh
. "$here/host/log.sh"
# shellcheck source=tests/kernels/host/list.sh
. "$here/host/list.sh"
# shellcheck source=tests/kernels/host/tasks.sh
. "$here/host/tasks.sh"
# shellcheck source=tests/kernels/host/tools.sh
. "$here/host/tools.sh"
# shellcheck source=tests/readers/forms.sh
. "$readers_dir/forms.sh"
# shellcheck source=tests/readers/readers.sh
. "$readers_dir/readers.sh"
# shellcheck source=tests/kernels/host/filtered.sh
. "$here/host/filtered.sh"
# shellcheck source=tests/kernels/host/filtered-readers.sh
. "$here/host/filtered-readers.sh"
# shellcheck source=tests/kernels/host/layers.sh
. "$here/host/layers.sh"
# shellcheck source=tests/kernels/host/dumps.sh
. "$here/host/dumps.sh"
# shellcheck source=tests/kernels/host/checks.sh
. "$here/host/checks.sh"

clean() {
	machine_stop
	[ -z "$layers_memory" ] || rm -rf "$layers_memory"
	[ -z "$scratch" ] || for clean_mnt in "$scratch"/*/layers; do
		forms_end "$clean_mnt"
	done
	[ -z "$scratch" ] || rm -rf "$scratch"
}

# shellcheck source=tests/at-exit.sh
. "$srcdir/tests/at-exit.sh"

# all_machines: prints their names
all_machines() {
	sed -n 's/^\([^#[:space:]][^[:space:]]*\).*/\1/p' "$here/machines"
}

# line_of NAME: prints the line of that machine
line_of() {
	awk -v name="$1" '$1 == name' "$here/machines"
}

# make_core NAME VERSION FLAVOUR WORD...
make_core() {
	machine=$1
	version=$2
	flavour=$3
	shift 3
	words_begin "$flavour"
	for word; do
		"word_$word"
	done
	[ -z "${NSPLIT_SHORT-}" ] || {
		figures=no
		symbols=no
	}
	core_line="$version $flavour $*"
	[ -n "${REMAKE-}" ] || ! core_is_made "$machine" || return 0
	# Not without a reason, since it takes its time.
	[ -n "${packages_apt-}" ] || packages_begin || return 1
	mkdir "$scratch/$machine"
	cd "$scratch/$machine"
	status=0
	core_make "$machine" "$version" "$flavour" || status=$?
	cd "$scratch"
	rm -rf "${scratch:?}/$machine"
	return $status
}

# check_core NAME: fails if something is wrong with it
check_core() {
	vmlinux=
	[ "$symbols" = no ] || {
		vmlinux=$(cat "$cache/cores/$1/release")
		[ -n "${packages_apt-}" ] || [ -e "$cache/kernels/$vmlinux/vmlinux" ] || packages_begin || return 1
		vmlinux=$(kernel_vmlinux "$vmlinux")
	} || return 1
	mkdir "$scratch/$1"
	cd "$scratch/$1"
	checks_run "$1" "$vmlinux" > "$scratch/checked"
	status=$?
	cat "$scratch/checked"
	cat "$scratch/checked" >> "$scratch/all"
	cd "$scratch"
	rm -rf "${scratch:?}/$1"
	return $status
}

# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(all_machines)
for machine; do
	[ -n "$(line_of "$machine")" ] || {
		printf 'check-kernels: there is no machine %s; there are: %s\n' "$machine" \
			"$(all_machines | tr '\n' ' ')" >&2
		exit 2
	}
done
needs_of_machines "$@"
packages_cache
mkdir -p "$cache/cores"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/nsplit-kernels.XXXXXX")
wrong=
began=$(date +%s)
for name; do
	printf -- '--- %s\n' "$name"
	started=$(date +%s)
	# shellcheck disable=SC2046
	if ! make_core $(line_of "$name") || ! check_core "$name"; then
		wrong="$wrong $name"
	fi
	printf '        %d s\n' $(($(date +%s) - started))
done
[ ! -s "$scratch/all" ] || checks_report "$scratch/all"
[ -z "$wrong" ] || {
	[ ! -s "$scratch/all" ] || sed -n 's/^wrong: /check-kernels: wrong: /p' "$scratch/all" >&2
	printf 'check-kernels: not all checks passed on:%s\n' "$wrong" >&2
	exit 1
}
printf 'check-kernels: %d checks passed in %d s\n' "$(checks_count "$scratch/all")" $(($(date +%s) - began))
