#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sixty seeded schedules of faults, always the same, and some that once were wrong; make
# faults runs as many as one likes.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

TMPDIR=$lib_dir
export TMPDIR
run=$srcdir/tests/faults/run.sh

# Where nothing can be injected this is a skip, and the status of the test.
sh "$run" 60 230
# A stream left by its last output before its end, and the footer told of an end.
sh "$run" 1 1341
sh "$run" 1 845
# A full output cut off the only records it had, to make room that it did not get.
sh "$run" 1 1268
# Nothing of a stream was captured, and a file that was there before has a superblock.
sh "$run" 1 30727
