# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Outputs that fill a file system with a little more space each time: wherever in a record it is full,
# what was written counts.

# kept CORE MEMBER...: after an nsplit with status 3 that wrote err: the members are readable
# without --salvage, and the missing ranges are reported
kept() {
	! grep 'given up\|nothing was captured' err ||
		fail "with ${sweep_space}K free, an output is given up"
	expect_incomplete "$@"
}

# leave_space DIRECTORY KIB: leaves this space free on the file system
leave_space() {
	rm -f "$1/ballast"
	sweep_free=$(($(stat -f -c '%a * %S / 1024' "$1")))
	[ "$sweep_free" -gt "$2" ] || fail "$1 has $sweep_free KiB, and should have more than $2"
	head -c "$((sweep_free - $2))K" /dev/zero > "$1/ballast" || :
	sync "$1/ballast"
}

# sweep CORE DIRECTORY FIRST STEP LAST OPTION...: tries each of these sizes, in KiB
sweep() {
	sweep_core=$1 sweep_directory=$2 sweep_space=$3 sweep_step=$4 sweep_last=$5
	shift 5
	while [ "$sweep_space" -le "$sweep_last" ]; do
		sweep_try "$@"
		sweep_space=$((sweep_space + sweep_step))
	done
	rm -f "$sweep_directory/ballast"
}

# sweep_try OPTION...: one member alone, and two that compete for the space
sweep_try() {
	set -- -q -r --stripe "$@"
	rm -f "$sweep_directory/a" "$sweep_directory/b" other
	leave_space "$sweep_directory" "$sweep_space"
	expect_status 3 nsplit "$@" "$sweep_core" "$sweep_directory/a"
	kept "$sweep_core" "$sweep_directory/a"
	rm -f "$sweep_directory/a"
	# Serial, since with threads one output may be opened when the other has taken all the
	# space.
	expect_status 3 nsplit "$@" --serial "$sweep_core" "$sweep_directory/a" "$sweep_directory/b"
	kept "$sweep_core" "$sweep_directory/a" "$sweep_directory/b"
	rm -f "$sweep_directory/a" "$sweep_directory/b"

	# A stream cannot be read again: what is removed from one output is written to the other.
	expect_status 0 nsplit "$@" - "$sweep_directory/a" other < "$sweep_core"
	expect_joined "$sweep_core" "$sweep_directory/a" other
	rm -f "$sweep_directory/a" other
}
