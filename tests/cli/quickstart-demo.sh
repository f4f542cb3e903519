#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ./quickstart demo ends with commands to try, and they work as typed, also if the name of the directory
# has a space or a quote; in sh, and in bash and zsh if they are installed.
# shellcheck source=tests/cli/quickstart-lib.sh
. "${srcdir:?}/tests/cli/quickstart-lib.sh"

# In place of a build, the programs that are being tested.  Small cores are enough here.
stub make "ln -sf ${builddir:?}/nsplit $builddir/njoin $builddir/mkfakevmcore ."
sed -i 's/^demo_mib=.*/demo_mib=8/; s/--size=256M vmcore$/--size=8M vmcore/' tree/quickstart
[ "$(grep -cx -e demo_mib=8 -e '    ../build/mkfakevmcore --size=8M vmcore' tree/quickstart)" -eq 2 ] ||
	fail 'the sizes of the cores were not changed'

TMPDIR=$PWD/tmp
export TMPDIR

# commands: prints the indented lines after "The programs are in"
commands() {
	sed -n '/^The programs are in /,$ s/^    //p' out
}

# typed_in SHELL ARGUMENT...: the shell reads the commands as from a terminal, in another directory
typed_in() {
	rm -rf "$tree/try"
	"$@" < typed > out 2> err || fail "$*: $(cat out err)"
	same "$tree/try/vmcore" "$tree/try/copy"
	[ "$(wc -c < "$tree/try/vmcore")" -eq $((8 << 20)) ] || fail 'the core is not of 8 MiB'
}

for tree in tree "a tree" "it's"; do
	[ -d "$tree" ] || cp -r tree "$tree"
	rm -rf "$tree/build" "$tree/try"
	mkdir "$tree/build" tmp
	expect_status 0 sh "$tree/quickstart" demo
	expect_err ''
	grep -qxF "The programs are in $PWD/$tree/build.  To try them:" out || fail "$(cat out)"
	if grep -vF "$PWD" out | grep '.\{80\}'; then
		fail 'a line does not fit on a terminal'
	fi
	commands > typed
	[ "$(wc -l < typed)" -eq 4 ] || fail "not a cd and three commands: $(cat typed)"
	page=$(sed -n 's|.*: man \.\./||p' out)
	[ -e "$srcdir/${page:-no page}" ] || fail "no such manual page: '$page'"
	typed_in sh -e
	# Each quotes, and treats comments, as it does for a user.
	if [ "$tree" = "it's" ]; then
		! command -v bash > typed_by || typed_in bash --norc -i -e
		! command -v zsh > typed_by || typed_in zsh -f -i -e
	fi
	rm -rf "$tree/build"
	# Nothing else of the demo is left.
	rmdir tmp || fail "left behind: $(ls -A tmp)"
done
