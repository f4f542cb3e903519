#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sixty seeded schedules of faults, always the same, thirty of captures that leave pages out, thirty of dumps in the
# kdump-compressed form, and some that once failed; make faults runs any number.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

TMPDIR=$lib_dir
export TMPDIR
run=$srcdir/tests/faults/run.sh

# If faults cannot be injected, the status is 77, which ends the test.
sh "$run" 60 230
# The last output of a stream failed before its end, and the footer claimed an end.
sh "$run" 1 1341
sh "$run" 1 845
# A full output removed its only records to make space, which it did not get.
sh "$run" 1 1268
# No data of a stream was captured, and an existing file got a superblock.
sh "$run" 1 30727

# Layers.
sh "$run" --layers 30 1
# A second place of an unreadable page; a source that returned nothing any more after the first pass.
sh "$run" --layers 1 158
sh "$run" --layers 1 573
# A request to stop after everything was captured, but for pages that could not be read again.
sh "$run" --layers 1 12035
# Pages became of a class that is saved after all, and others were no longer of it.
sh "$run" --layers 1 320777

# Dumps.
sh "$run" --dumps 30 1
# Pages that are saved after all were not written through a pipe.
sh "$run" --dumps 1 86
# A disk that is full even for what it replaces.
sh "$run" --dumps 1 50048
