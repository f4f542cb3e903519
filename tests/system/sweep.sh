# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Outputs that fill one file system, which has room for a little more each time: wherever in a
# record it ends, what is there counts.

# kept CORE MEMBER...: after an nsplit of status 3 that said err.  What is kept is readable without
# salvage, and the rest is named.
kept() {
	! grep 'given up\|nothing was captured' err ||
		fail "room for ${sweep_room}K: something is given up"
	expect_incomplete "$@"
}

# room DIRECTORY KIB: so much of the file system is free
room() {
	rm -f "$1/ballast"
	sweep_free=$(($(stat -f -c '%a * %S / 1024' "$1")))
	[ "$sweep_free" -gt "$2" ] || fail "$1 has $sweep_free KiB, and should have more than $2"
	head -c "$((sweep_free - $2))K" /dev/zero > "$1/ballast" || :
	sync "$1/ballast"
}

# sweep CORE DIRECTORY FIRST STEP LAST OPTION...: in KiB
sweep() {
	sweep_core=$1 sweep_directory=$2 sweep_room=$3 sweep_step=$4 sweep_last=$5
	shift 5
	while [ "$sweep_room" -le "$sweep_last" ]; do
		sweep_try "$@"
		sweep_room=$((sweep_room + sweep_step))
	done
	rm -f "$sweep_directory/ballast"
}

# sweep_try OPTION...: one member alone, and two that take each other's room
sweep_try() {
	set -- -q -r --stripe "$@"
	rm -f "$sweep_directory/a" "$sweep_directory/b" other
	room "$sweep_directory" "$sweep_room"
	expect_status 3 nsplit "$@" "$sweep_core" "$sweep_directory/a"
	kept "$sweep_core" "$sweep_directory/a"
	rm -f "$sweep_directory/a"
	# With threads, one may be opened when the other has taken all the room.
	expect_status 3 nsplit "$@" --serial "$sweep_core" "$sweep_directory/a" "$sweep_directory/b"
	kept "$sweep_core" "$sweep_directory/a" "$sweep_directory/b"
	rm -f "$sweep_directory/a" "$sweep_directory/b"

	# A stream cannot be read again: what is given up goes to the other output.
	expect_status 0 nsplit "$@" - "$sweep_directory/a" other < "$sweep_core"
	expect_joined "$sweep_core" "$sweep_directory/a" other
	rm -f "$sweep_directory/a" other
}
