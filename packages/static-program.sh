#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# "make static-program": makes static/nsplit, the only file that a capture initramfs needs, beside the C
# library if it was configured so, and static/nsplit.contents, the list of what it contains.  Runs in the build directory.

set -eu

LC_ALL=C
export LC_ALL
here=$(dirname "$0")

mkdir -p static
cp nsplit static/nsplit.new
"${STRIP:-strip}" static/nsplit.new
{
	printf 'nsplit %s, a program without shared libraries%s\n\n' "${VERSION:?}" "${EXCEPT:+ except that of C}"
	printf 'size      %s bytes, stripped\n' "$(wc -c < static/nsplit.new)"
	printf 'SHA-256   %s\n' "$(sha256sum static/nsplit.new | cut -d ' ' -f 1)"
	printf 'compiler  %s\n' "$(${CC:-cc} --version | head -n 1)"
	printf 'codecs    %s\n\n' "$(./nsplit --list-codecs | awk '{ printf "%s%s", sep, $1; sep = " " }')"
	sh "$here/contents.sh" nsplit.map
} > static/nsplit.contents.new
sh "$here/sbom.sh" < static/nsplit.contents.new > static/nsplit.spdx.json.new
mv static/nsplit.spdx.json.new static/nsplit.spdx.json
mv static/nsplit.contents.new static/nsplit.contents
mv static/nsplit.new static/nsplit
cat static/nsplit.contents
