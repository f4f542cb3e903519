#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Killed at any moment, nsplit leaves members of which each whole record is salvaged.
#	KILLS=200 KILLS_SEED=7 srcdir=.. sh ../tests/parts/kills.sh
# shellcheck source=tests/parts/lib.sh
. "${srcdir:?}/tests/parts/lib.sh"

need python3
TMPDIR=$lib_dir
export TMPDIR
python3 -B "$srcdir/tests/parts/kills.py" --programs="$builddir" \
	--seed="${KILLS_SEED:-1}" "${KILLS:-20}"
