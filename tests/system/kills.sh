#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Killed at any moment, nsplit leaves members from which each complete record is salvaged.
#	KILLS=200 KILLS_SEED=7 srcdir=.. sh ../tests/system/kills.sh
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

need python3
TMPDIR=$lib_dir
export TMPDIR
python3 -B "$srcdir/tests/system/kills.py" --programs="$builddir" \
	--seed="${KILLS_SEED:-1}" "${KILLS:-20}"
