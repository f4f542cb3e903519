#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The same output given twice is refused, under any names.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

echo data > core
echo old > file
ln file hard
ln -s file soft
mkdir directory
ln -s directory shortcut

# repeated NAME NAME
repeated() {
	said="is the same file as $1"
	[ "$1" != "$2" ] || said="was given twice"
	expect_status 2 nsplit --overwrite-dumps core "$1" "$2"
	expect_err "nsplit: $2: $said"
	expect_status 2 nsplit --overwrite-dumps core "$1" other "$2"
	expect_err "nsplit: $2: $said"
	absent other new
}

repeated file file
repeated file ./file
repeated file hard
repeated soft file
repeated hard soft
repeated file directory/../file
repeated new new
repeated new ./new
repeated new directory/../new
repeated directory/new shortcut/new
repeated /dev/null /dev/null
expect_status 2 nsplit core - -
expect_err "nsplit: standard output: was given twice"
[ "$(cat file)" = old ] || fail "a file was written"

expect_status 0 nsplit -q --overwrite-dumps core directory/new new
expect_status 0 nsplit -q core null: null:

# null: would take data that the other outputs then lack.
for outputs in 'null: third' 'third null:' 'nowhere/a null:'; do
	# shellcheck disable=SC2086 # two words
	expect_status 2 nsplit -q core $outputs
	expect_err 'nsplit: null: discards its data, so it cannot be combined with other outputs'
	absent third
done
