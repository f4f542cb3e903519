#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The patch for kdump-tools: it is well-formed, changes each call of makedumpfile, and where kdump-tools is installed in a
# version that has these lines, applies; then nsplit saves the dump under a name of its own.  KDUMP_CONFIG is another
# /usr/sbin/kdump-config, such as one that was unpacked from its package.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need patch
upstream=$srcdir/misc/upstream/kdump-tools-KDUMP_COLLECTOR.patch

# The files before the patch, as far as it shows them, each hunk in its line.
awk '/^--- a\// { file = substr($2, 3); sub(".*/", "", file); at = 1; next }
	/^\+\+\+ / { next }
	/^@@ / { split(substr($2, 2), place, ","); for (; at < place[1]; at++) print "" > file; next }
	file && /^[ -]/ { print substr($0, 2) > file; at++ }' "$upstream"
mkdir -p debian
mv kdump-config.in kdump-tools.conf.in kdump-tools.5.in debian/
patch -p1 -F0 --batch < "$upstream" > out 2>&1 || fail "the patch is not well-formed: $(cat out)"
! grep -q fuzz out || fail "the patch is not exact: $(cat out)"
[ "$(grep -c '^[[:blank:]]*"$KDUMP_COLLECTOR" $MAKEDUMP_ARGS ' debian/kdump-config.in)" -eq 3 ] || fail 'not three calls'
! grep -n '^[[:blank:]]*makedumpfile ' debian/kdump-config.in || fail 'a call of makedumpfile is left'

config=${KDUMP_CONFIG-/usr/sbin/kdump-config}
if ! grep -qs '^have_makedumpfile()' "$config"; then
	echo "kdump-tools is not installed, or is older than 1.10: only the form of the patch was tested"
	exit 0
fi
cp "$config" patched
sed '/^--- a.*tools\.5\.in/,$d' "$upstream" | patch -F0 --batch patched > out 2>&1 || fail "does not apply: $(cat out)"
! grep -n '^[^#"]*\<makedumpfile ' patched | grep -v 'links for' || fail 'a call of makedumpfile is left'
sh -n patched || fail 'not valid for sh'

# savecore, with a file as /proc/vmcore and without the functions of the system.
mkfakevmcore -s 1M core
mkdir bin crash
ln -s "$(command -v nsplit)" makedumpfile
ln -s ../makedumpfile bin/makedumpfile
printf 'log_%s_msg() { echo "$*"; }\n' action success failure warning > functions
echo 'logger() { :; }' >> functions
sed -i -e "s|^PATH=|&$PWD/bin:|" -e "s|^vmcore_file=.*|vmcore_file=$PWD/core|" \
	-e "s|^KDUMP_DEFAULTS=.*|KDUMP_DEFAULTS=$PWD/defaults|" -e "s|^\. /lib/lsb/.*|. $PWD/functions|" \
	-e "s|\(KDUMP_P*R*I*DIR\)=\"/var/lib/kdump\"|\1=$PWD/lib|" patched

# saved SETTING TEXT FILE: savecore with this line of the settings prints the text, and makes the file
saved() {
	printf 'KDUMP_COREDIR=%s\nUSE_KDUMP=1\n%s\n' "$PWD/crash" "$1" > defaults
	sh patched savecore > out 2>&1 || fail "savecore with '$1': $(cat out)"
	grep -q "$2" out || fail "$1: another collector was called: $(cat out)"
	for file in crash/*/$3; do :; done
	[ -s "$file" ] || fail "$1: no $3: $(cat out)"
	mv "$file" saved
	rm -r crash/*
}

saved "KDUMP_COLLECTOR=$PWD/makedumpfile" "running $PWD/makedumpfile -F -c -d 31" 'dump.*'
expect_status 0 njoin --verify saved
saved '' 'running makedumpfile -F -c -d 31' 'dump.*'
expect_status 0 njoin --verify saved
saved "KDUMP_COLLECTOR=$PWD/none" "running cp $PWD/core" 'vmcore.*'
cmp core saved
