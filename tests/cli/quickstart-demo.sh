#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ./quickstart demo ends with commands to try, and they work as typed, in any shell, also if the name
# of the directory has a space.
# shellcheck source=tests/cli/quickstart-lib.sh
. "${srcdir:?}/tests/cli/quickstart-lib.sh"

# In place of a build, the programs that are being tested.  A small core is enough here.
stub make "ln -sf ${builddir:?}/nsplit $builddir/njoin $builddir/mkfakevmcore ."
sed -i 's/^demo_mib=.*/demo_mib=8/' tree/quickstart
grep -qx demo_mib=8 tree/quickstart || fail 'the size of the core was not changed'

TMPDIR=$PWD/tmp
export TMPDIR

# commands: prints the indented lines after "The programs are in"
commands() {
	sed -n '/^The programs are in /,$ s/^    //p' out
}

for tree in tree "a tree" "it's"; do
	[ -d "$tree" ] || cp -r tree "$tree"
	rm -rf "$tree/build"
	mkdir "$tree/build" tmp
	expect_status 0 sh "$tree/quickstart" demo
	expect_err ''
	grep -qxF "The programs are in $PWD/$tree/build.  To try them:" out || fail "$(cat out)"
	if grep -vF "$PWD" out | grep '.\{80\}'; then
		fail 'a line does not fit on a terminal'
	fi
	commands > typed
	[ "$(wc -l < typed)" -eq 4 ] || fail "not a cd and three commands: $(cat typed)"
	# As a terminal would: one command after the other, from another directory.
	expect_status 0 sh -e typed
	same "$tree/build/core" "$tree/build/copy"
	[ "$(wc -c < "$tree/build/core")" -eq $((256 << 20)) ] || fail 'the core is not of 256 MiB'
	rm -rf "$tree/build"
	# Nothing else of the demo is left.
	rmdir tmp || fail "left behind: $(ls -A tmp)"
done
