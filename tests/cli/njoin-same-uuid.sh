#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members of two captures with the same UUID are refused, even if the captures are alike.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

uuid=01234567-89ab-4cde-8f01-23456789abcd

# capture SOURCE OUTPUT...: always with the same UUID
capture() {
	nsplit -q -c --stripe --serial --chunksize=64K --uuid=$uuid "$@"
}

# mixed TEXT: a and y are of two captures, which differ as TEXT says
mixed() {
	expect_status 1 njoin -q -o new a y
	grep -qxE "njoin: y: $1; give members of one capture" err || fail "$(cat err)"
	absent new
	expect_status 1 njoin -q --verify a y
	expect_status 3 njoin -q --salvage -o new a y b
	grep -qE "^njoin: y: $1" err || fail "$(cat err)"
	same new core
	rm new
}

# The same source, settings and name, perhaps in the same second: only the capture tag always
# differs.
mkfakevmcore -s 500000 -p random core
capture core a b
capture core x y
mixed "(belongs to a different capture than a with the same UUID \(different: capture tag\)|was captured at .*, but a at .*: two captures with the same UUID)"
expect_status 0 njoin -q -o new x y
same new core
rm new

# Reproducible captures have no tag; their times, sources and settings are compared.
rm a b x y
SOURCE_DATE_EPOCH=1000000000 capture core a b
SOURCE_DATE_EPOCH=1000000060 capture core x y
mixed "was captured at 2001-09-09T01:47:40Z, but a at 2001-09-09T01:46:40Z: two captures with the same UUID"
mkfakevmcore -s 500000 -p random --seed=2 other
rm x y
SOURCE_DATE_EPOCH=1000000000 capture other x y
mixed "belongs to a different capture than a with the same UUID \(different: name of the source\)"
SOURCE_DATE_EPOCH=1000000000 capture core again0 again1
same a again0
same b again1

# From a pipe, too.
mkfifo pipe
cat y > pipe &
expect_status 1 njoin -q -o new a pipe
expect_err "njoin: pipe: belongs to a different capture than a with the same UUID (different: name of the source); give members of one capture"
wait || :
