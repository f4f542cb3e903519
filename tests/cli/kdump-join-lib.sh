# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For tests of nsplit-join: makes the file script, which looks into the test's own directories, and a core.
# shellcheck source=tests/cli/kdump-lib.sh
. "${srcdir:?}/tests/cli/kdump-lib.sh"

make_core kinds
have_codec zlib || skip "this build has no zlib"
mkdir etc bin run disk1 disk2
config=$PWD/etc/nsplit-join.conf
sed -e "s|@bindir@|$PWD/bin:$builddir|" -e "s|@pkglibexecdir@|$srcdir/kdump/common|" -e "s|/etc/|$PWD/etc/|g" \
	-e "s|/run/|$PWD/run/|g" -e "s|/var/crash|$PWD/crash|g" "$srcdir/kdump/join/nsplit-join.in" > script
shell=$(readlink -f "/proc/$$/exe")
# The lock of users other than root.
HOME=$PWD
export HOME

# joins STATUS [FILE]: the messages are in the file err
joins() {
	wanted=$1
	shift
	expect_status "$wanted" "$shell" script "$@"
	expect_out ''
}

# settings LINE...: and a codec that kdump-pages.py knows, if there are no options
settings() {
	printf '%s\n' "$@" > "$config"
	grep -q '^options' "$config" || echo 'options = --compress=zlib' >> "$config"
}
