#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Captures that leave pages out, killed at any moment: each complete record is salvaged, and what is
# said of complete layers is true.
#	KILLS=200 KILLS_SEED=7 srcdir=.. sh ../tests/system/kills-layers.sh
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

need python3
need_inject nsplit
for program in unit/make_kinds_core vectors/layer_map; do
	[ -x "$builddir/tests/$program" ] || skip "tests/$program was not built: it needs check"
done
TMPDIR=$lib_dir
export TMPDIR
python3 -B "$srcdir/tests/system/kills_layers.py" --programs="$builddir" \
	--inject="$builddir/tests/faults/inject.so" --seed="${KILLS_SEED:-1}" "${KILLS:-12}"
