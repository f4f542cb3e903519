# shellcheck shell=sh
# shellcheck disable=SC2154 # set by check-kernels.sh and cross.sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The readers of the cores, newer than this machine's or for its other architecture, in the cache:
# nothing is installed.  Debian's are started by their own loader, or by QEMU's emulation of single
# programs; drgn is a Python package of its project.

# The suites of makedumpfile-newest and of makedumpfile; crash is of the first.
tools_newest=sid
tools_stable=bookworm

# tools_begin ARCHITECTURE DIRECTORY SYMBOLS: makes programs in the directory that read cores of this
# architecture: makedumpfile, makedumpfile-newest and, if SYMBOLS is not empty, crash and drgn
tools_begin() {
	tools_arch=$1
	tools_bin=$2
	mkdir -p "$tools_bin"
	[ "$1" = amd64 ] || cross_emulator || return 1
	tools_root $tools_newest crash makedumpfile || return 1
	tools_program makedumpfile-newest makedumpfile
	[ -z "$3" ] || tools_program crash crash
	tools_root $tools_stable makedumpfile || return 1
	tools_program makedumpfile makedumpfile
	[ -z "$3" ] || { tools_drgn && ln -s "$cache/tools/drgn/bin/drgn" "$tools_bin/drgn"; }
}

# tools_root SUITE PACKAGE...: sets tools_dir to a directory with the packages and what they need
tools_root() {
	tools_dir=$cache/tools/$tools_arch-$1
	tools_suite=$1
	shift
	packages_root "$tools_dir" "$tools_suite" "$tools_arch" "$@"
}

# tools_program NAME PROGRAM: makes $tools_bin/NAME, which starts this program of tools_dir
tools_program() {
	tools_file=$(find "$tools_dir/usr/bin" "$tools_dir/usr/sbin" -name "$2" | head -n 1)
	tools_libraries=$tools_dir/usr/lib/x86_64-linux-gnu
	tools_start="$tools_libraries/ld-linux-x86-64.so.2 --library-path $tools_libraries"
	[ "$tools_arch" = amd64 ] || tools_start="$cross_qemu -L $tools_dir"
	printf '#!/bin/sh\nexec %s %s "$@"\n' "$tools_start" "$tools_file" > "$tools_bin/$1"
	chmod +x "$tools_bin/$1"
}

# tools_into_image IMAGE PROGRAM: adds a program of tools_dir, which its own loader starts there, too
tools_into_image() {
	tools_libraries=$(find "$tools_dir/usr/lib" -maxdepth 2 -name 'ld-linux*.so.*' | head -n 1)
	tools_loader=${tools_libraries##*/}
	tools_libraries=${tools_libraries%/*}
	tools_image=$1/$2
	mkdir "$tools_image" && cp -L "$tools_dir/usr/bin/$2" "$tools_libraries/$tools_loader" "$tools_image/" &&
		tools_libraries_of "$tools_image/$2" || return 1
	printf '#!/bin/sh\nexec /%s/%s --library-path /%s /%s/%s "$@"\n' "$2" "$tools_loader" "$2" "$2" "$2" \
		> "$1/bin/$2"
	chmod +x "$1/bin/$2"
}

# Copies the libraries that a program or library needs, and that these need.
tools_libraries_of() {
	readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | while read -r tools_name; do
		[ ! -e "$tools_image/$tools_name" ] || continue
		cp -L "$tools_libraries/$tools_name" "$tools_image/" &&
			(tools_libraries_of "$tools_image/$tools_name") || exit 1
	done
}

tools_drgn() {
	packages_once "$cache/tools/drgn/bin/drgn" tools_drgn_install
}

# The newest drgn, with whatever pip is configured to use.
tools_drgn_install() {
	rm -rf "$cache/tools/drgn"
	python3 -m venv "$cache/tools/drgn" > "$tools_bin/pip.log" 2>&1 &&
		"$cache/tools/drgn/bin/pip" -q install drgn >> "$tools_bin/pip.log" 2>&1 || {
		tail -n 3 "$tools_bin/pip.log" >&2
		rm -rf "$cache/tools/drgn"
		return 1
	}
}

# tools_versions: prints the versions of the readers in the cache
tools_versions() {
	for tools_suite in $tools_stable $tools_newest; do
		tools_version_of makedumpfile "$cache/tools/amd64-$tools_suite"
	done
	tools_version_of crash "$cache/tools/amd64-$tools_newest"
	[ ! -x "$cache/tools/drgn/bin/drgn" ] ||
		"$cache/tools/drgn/bin/drgn" --version | sed -n 's/^\(drgn [^ ]*\).*/\1/p'
}

# tools_version_of PACKAGE DIRECTORY
tools_version_of() {
	[ ! -e "$2/versions" ] || grep "^$1 " "$2/versions"
}
