#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# No descriptor is left to make the directory of a member safe: that costs no member.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

inject=$builddir/tests/faults/inject.so
INJECT_LOG=log ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$inject nsplit --version > version
[ -s log ] || skip 'nothing can be preloaded into nsplit: it is linked statically'

mkfakevmcore -s 1M core
mkdir d
rm log
expect_status 0 env INJECT=open:d:1-:EMFILE INJECT_LOG=log LD_PRELOAD="$inject" \
	ASAN_OPTIONS=verify_asan_link_order=0 nsplit -q -c core d/m0
expect_err ''
grep -q '^open d EMFILE' log || fail "nothing failed: $(cat log)"
expect_status 0 njoin -q -f -o copy d/m0
same core copy
