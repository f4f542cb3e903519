#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# SOURCE and at least one OUTPUT are required.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

try="Try 'nsplit --help' for more information."
echo data > core

expect_status 2 nsplit
expect_err "nsplit: no SOURCE given
$try"
expect_status 2 nsplit -c -j2
expect_err "nsplit: no SOURCE given
$try"
expect_status 2 nsplit core
expect_err "nsplit: no OUTPUT given
$try"
expect_out ""
expect_status 2 nsplit '' one
expect_err "nsplit: the name of the SOURCE is empty
$try"
expect_status 2 nsplit core one ''
expect_err "nsplit: outputs: '' results in an empty name
$try"
expect_status 2 nsplit core 'm{1..255}'
expect_err "nsplit: outputs: too many names; at most 254
$try"
expect_status 2 nsplit core one 'm{1..254}'
expect_err "nsplit: outputs: too many names; at most 254
$try"
absent one m1
expect_status 0 nsplit -q core 'm{1..254}'
closed m1 m254

# After --, a word that looks like an option is an operand.
cp core ./-q
expect_status 0 nsplit -q -- -q -f
closed ./-f
