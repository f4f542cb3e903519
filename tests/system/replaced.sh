#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A file that replaces an output before it is opened is not overwritten.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

mkfakevmcore -s 300000 core

looked() {
	grep -q '^memory: ' err
}

# replaced COMMAND NSPLIT-OPTION...: runs COMMAND after nsplit has checked its output, while it
# waits for the reader of a pipe, since pipes are opened first
replaced() {
	change=$1
	shift
	rm -f pipe
	mkfifo pipe
	nsplit -v --progress=never "$@" core pipe output > out 2> err &
	nsplit=$!
	kill_at_exit $nsplit
	wait_for looked
	eval "$change"
	cat pipe > piped
	expect_end 0 $nsplit "$change"
	cp err warnings
	expect_joined core piped
	[ "$(cat precious)" = precious ] || fail "$change: another file was overwritten"
	[ "$(stat -c %a precious)" = 644 ] || fail "$change: its mode was changed"
}

# warned TEXT
warned() {
	grep -qx "nsplit: output: $1; given up, continuing on 1 output" warnings ||
		fail "$(cat warnings)"
}

echo precious > precious
chmod 644 precious
for change in 'ln -s nothing output' 'ln -s precious output' 'cp -p precious output' 'mkdir output'; do
	replaced "$change"
	warned "File exists"
	absent nothing
	rm -rf output
done
for change in 'ln -sf precious output' 'mv -f output old; cp precious output' \
	'rm output; ln precious output'; do
	echo old > output
	replaced "$change" -f
	warned "was replaced while it was being opened"
	rm -f output
done
