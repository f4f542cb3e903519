#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# File systems that are lost or become read-only during a capture: nsplit and njoin agree on what the
# members hold, whatever is left on the lost one.
#	LOST=200 LOST_SEED=7 srcdir=.. sh ../tests/system/lost.sh
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

need python3
need_inject nsplit
make_ext4 probe 8M
[ -x "$builddir/tests/unit/make_kinds_core" ] ||
	skip "tests/unit/make_kinds_core was not built: it needs check"
TMPDIR=$lib_dir
export TMPDIR
mkdir lost
at_exit "retry unmount lost || umount -l lost"
python3 -B "$srcdir/tests/system/lost.py" --programs="$builddir" \
	--inject="$builddir/tests/faults/inject.so" --seed="${LOST_SEED:-1}" "${LOST:-8}"
