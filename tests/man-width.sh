#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Lines of examples in the manual pages are not filled, so they fit a terminal of 80 columns as they are.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

cat > width.awk << 'END'
/^\.(nf|EX)/ { within = 1; indent = 7; next }
/^\.(fi|EE)/ { within = 0 }
within && /^\.RS/ { indent = 14; next }
!within || /^\./ { next }
{
	text = $0
	gsub(/\\f[IRBP]/, "", text)
	gsub(/\\\([a-z][a-z]|\\[-e]/, "x", text)
	gsub(/\\&/, "", text)
	# Tabs are at the beginning only, half an inch wide.
	columns = indent + length(text) + 4 * gsub(/\t/, "", text)
	if (columns > 80)
		printf "%s:%d: %d columns\n", FILENAME, FNR, columns
}
END
awk -f width.awk "$srcdir"/man/*.[1-8] > wide
[ ! -s wide ] || fail "$(cat wide)"
