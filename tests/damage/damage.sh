#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Some thousand changes to small sets, all of which must be noticed; others each time, chosen by the
# seed that is printed. make damage makes any number.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
long_test

TMPDIR=$lib_dir
export TMPDIR
sh "$srcdir/tests/damage/run.sh" 2000 40
