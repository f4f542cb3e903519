#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Some thousands of changes to small sets, of which none may go unseen; other ones each
# time, by the seed that is printed.  make damage makes as many as one likes.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
long_test

TMPDIR=$lib_dir
export TMPDIR
sh "$srcdir/tests/damage/run.sh" 2000 40
