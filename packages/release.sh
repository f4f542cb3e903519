#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes version, address and home page of configure.ac (AC_INIT) to the files that name them literally, because they
# are read without configure: HACKING.md, "Releases".
#	sh packages/release.sh		in the source directory; again, it changes nothing

set -eu

LC_ALL=C
export LC_ALL

die() {
	printf 'release.sh: %s\n' "$*" >&2
	exit 1
}

# argument N: prints that argument of AC_INIT
argument() {
	sed -n 's/^AC_INIT(\(.*\))$/\1/p' configure.ac | tr -d '[] ' | cut -d , -f "$1"
}

# change FILE EXPRESSION...: with sed, if that changes anything
change() {
	file=$1
	shift
	sed -E "$@" "$file" > "$file.new"
	if cmp -s "$file" "$file.new"; then
		rm -f "$file.new"
	else
		# The mode of the file stays.
		cat "$file.new" > "$file"
		rm -f "$file.new"
		printf '%s\n' "$file"
	fi
}

[ -f configure.ac ] || die 'call it in the source directory'
version=$(argument 2)
address=$(argument 3)
page=$(argument 5)
case $version,$address,$page in
[0-9]*.*,*@*,https://*) ;;
*) die 'AC_INIT in configure.ac needs a version, an address (NAME@HOST) and a home page (https://...)' ;;
esac
# What the files have now.
old_version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' fakevmcore/dkms.conf)
old_address=$(sed -n 's/^Maintainer: .*<\(.*\)>$/\1/p' debian/control)
old_page=$(sed -n 's/^Homepage: //p' debian/control)
if [ -z "$old_version" ] || [ -z "$old_address" ] || [ -z "$old_page" ]; then
	die 'dkms.conf or debian/control does not have them'
fi

was=$(printf '%s' "$old_version" | sed 's/\./\\./g')
# The last two are those that say what the files have, so that it can be called again if it was interrupted.
for file in SECURITY.md misc/upstream/*.patch debian/watch debian/changelog man/*.[1-8] doc/install.md doc/format.md \
	kdump/*/README.md debian/control fakevmcore/dkms.conf; do
	change "$file" -e "s|$(printf '%s' "$old_address" | sed 's/\./\\./g')|$address|g" \
		-e "s|$(printf '%s' "$old_page" | sed 's/\./\\./g')|$page|g" \
		-e "s/(nsplit[-a-z]*[ _-])$was/\\1$version/g" -e "s/(nsplit itself \| )$was/\\1$version/" \
		-e "s/(fakevmcore.|PACKAGE_VERSION=\")$was/\\1$version/g"
done
[ "$(sed -n '1s/^nsplit (\(.*\)) .*/\1/p' debian/changelog)" = "$version" ] ||
	printf 'release.sh: debian/changelog has no entry for %s yet; write it\n' "$version" >&2
