#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/files.sh [DIRECTORY...]: prints each C file under src/ and fakevmcore/ of the current
# directory, or under these directories, with the first sentence of the comment at its top.  NAME.c
# and NAME.h are one line, NAME.[ch], with the sentence of the header; if that has none, of NAME.c.
# A file without such a sentence is printed with none.
set -eu
[ $# -gt 0 ] || set -- src fakevmcore

# first_sentence FILE...: of the first file that has one
first_sentence() {
	awk '
		function end(text) { print text; done = 1; exit }
		FNR == 1 { state = "before"; text = "" }
		state == "after" { next }
		state == "before" && (/^\/\// || /^\/\* SPDX/) { next }
		state == "before" {
			state = /^\/\*/ ? "comment" : "after"
			if (state == "after")
				next
		}
		{
			line = $0
			closed = sub(/[ \t]*\*\/.*/, "", line)
			sub(/^[ \t]*\/?\*+/, "", line)
			gsub(/[ \t]+/, " ", line)
			sub(/^ /, "", line)
			if (line == "" && text != "")
				closed = 1
			text = text (text == "" || line == "" ? "" : " ") line
			if (match(text, /\.( |$)/))
				end(substr(text, 1, RSTART))
			if (closed)
				state = "after"
		}' "$@"
}

find "$@" -name '*.[ch]' | sed 's/\.[ch]$//' | LC_ALL=C sort -u | while read -r name; do
	if [ -e "$name.h" ] && [ -e "$name.c" ]; then
		set -- "$name.h" "$name.c"
		shown="$name.[ch]"
	else
		set -- "$name".[ch]
		shown=$1
	fi
	printf '%s: %s\n' "$shown" "$(first_sentence "$@")"
done
