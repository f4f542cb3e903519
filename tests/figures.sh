#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The figures of README.md are those of the documents that it names, and a comparison with makedumpfile
# names the dump level.
set -eu

cd "${srcdir:?}"
status=0
figures=$(awk '/^## / { within = $0 == "## Figures" } within' README.md)

# Numbers that are no dates, and none of the few that count things.
for number in $(printf '%s\n' "$figures" | sed 's/20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]//g' |
	grep -oE '[0-9]+\.[0-9]+|[0-9]{3,}'); do
	grep -qwF -e "$number" doc/benchmarks.md doc/kdump.md || {
		printf 'README.md, Figures: %s is not in doc/benchmarks.md or doc/kdump.md\n' "$number" >&2
		status=1
	}
done

# One item a line.
items=$(printf '%s\n' "$figures" | sed -n '/^- /,$p' | awk '/^- / && n++ { print "" } { printf "%s ", $0 }')
if printf '%s\n' "$items" | sed 's/makedumpfile [^`]*-d \(0\|31\)//g' | grep makedumpfile >&2; then
	printf 'README.md, Figures: which dump level of makedumpfile?\n' >&2
	status=1
fi
exit $status
