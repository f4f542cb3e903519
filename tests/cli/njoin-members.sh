#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members are identified by their contents: in any order, under any name, moved, with braces.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 700001 core
nsplit -q -c --chunksize=64K core 'm{0..4}'

# joins MEMBER...
joins() {
	rm -f new
	expect_status 0 njoin -q -o new "$@"
	expect_err ""
	expect_out ""
	same new core
}

joins m0 m1 m2 m3 m4
joins m4 m2 m0 m1 m3
joins 'm{0..4}'
joins 'm<4..0>'
joins m0 'm{3..4}' 'm{1..2}'
mkdir x y
mv m0 x/first
mv m1 'y/with a blank'
mv m2 m1
ln -s m3 link
joins m1 link m4 'y/with a blank' x/first
# Copies are equivalent.
cp m4 copy
rm m4
joins copy x/first 'y/with a blank' m1 m3
