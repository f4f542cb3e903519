#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reads from a linker's map what a program consists of, and prints the packages that this belongs to,
# with their versions and licences.
#	sh packages/contents.sh MAP
# The list of archives contains no fixed entries, so it includes libraries that are new in the program.

set -eu

LC_ALL=C
export LC_ALL
map=${1:?}

# objects MAP: prints "FILE OBJECTS" for each archive from which objects were linked, and for each
# object file of the compiler or the C library
objects() {
	awk '
	/^Archive member included/ { members = 1; next }
	/^(Discarded|Memory|Merging|There are no|As-needed)/ { members = 0 }
	members && /^[^ \t].*\(/ {
		sub(/\([^()]*\)([ \t].*)?$/, "")
		count[$0]++
	}
	# It appears once for each time that it was given.
	/^LOAD \/.*\.o$/ { count[$2] = 1 }
	END { for (file in count) print file, count[file] }
	' "$1" | while read -r file number; do
		printf '%s %s\n' "$(realpath "$file")" "$number"
	done | awk '{ sum[$1] += $2 } END { for (file in sum) print file, sum[file] }' | sort
}

# headers: prints "FILE 1" for the header of which code is compiled into the program
headers() {
	file=$(echo '#include <xxhash.h>' | ${CC:-cc} -E - | sed -n 's|^# 1 "\(/.*/xxhash\.h\)".*|\1|p' | head -n 1)
	printf '%s 1\n' "$(realpath "$file")"
}

# dpkg may know a file by the name it had before /lib moved to /usr/lib.
debian_package() {
	dpkg-query -S "$1" 2> /dev/null || dpkg-query -S "${1#/usr}" 2> /dev/null || :
}

# owner FILE: prints the package to which it belongs, or nothing
owner() {
	case $1 in "$(pwd -P)"/*)
		printf 'nsplit\n'
		return
	esac
	if command -v dpkg-query > /dev/null && [ -s /var/lib/dpkg/status ]; then
		debian_package "$1" | sed -n '1s/: .*//p'
	elif command -v rpm > /dev/null; then
		rpm -qf --qf '%{NAME}\n' "$1" 2> /dev/null | sed -n '/ /!p' | head -n 1
	fi
}

# debian_licences FILE: prints the licence names in a machine-readable copyright file, or else the
# licence texts to which the file refers
debian_licences() {
	if grep -q '^Format:.*copyright-format' "$1"; then
		sed -n 's/^License: *//p' "$1"
	else
		grep -o -e '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' \
			-e 'GCC Runtime Library Exception' "$1" | sed 's|.*/||'
	fi | sort -u | awk '{ printf "%s%s", sep, $0; sep = ", " } END { print "" }'
}

# described PACKAGE: prints its version, and the licences that it states
described() {
	if command -v dpkg-query > /dev/null && [ -s /var/lib/dpkg/status ]; then
		copyright=/usr/share/doc/${1%%:*}/copyright
		dpkg-query -W -f='  version   ${Version}\n  source    ${source:Package} ${source:Version}\n' "$1"
		printf '  licences  %s\n  see       %s\n' "$(debian_licences "$copyright")" "$copyright"
	else
		rpm -q --qf '  version   %{VERSION}-%{RELEASE}\n  source    %{SOURCERPM}\n  licences  %{LICENSE}\n' "$1"
	fi
}

# The packages in order, each with its files.
printed=
{
	objects "$map"
	headers
} | while read -r file number; do
	printf '%s %s %s\n' "$(owner "$file")" "$file" "$number"
done | sed 's|^ |- |' | sort | while read -r package file number; do
	if [ "$package" != "$printed" ]; then
		[ -z "$printed" ] || printf '\n'
		if [ "$package" = nsplit ]; then
			printf 'nsplit itself\n'
		elif [ "$package" = - ]; then
			printf 'not from a package\n'
		else
			printf '%s\n' "$package"
			described "$package"
		fi
		printed=$package
	fi
	printf '  %s: %s\n' "${file#"$(pwd -P)/"}" "$number"
done

cat << 'END'

The number after a file is the number of its objects in the program.  The licences are all those
that a package names, including those of parts that are not in the program.

The program as a whole is licensed under the GNU General Public License, version 2 or (at your
option) any later version, like nsplit and liblzo2.  The licences of the other libraries permit
this; for those of the compiler, it is the GCC Runtime Library Exception.  If you distribute the
program, include or offer the source of nsplit and of the packages above, in these versions.
END
