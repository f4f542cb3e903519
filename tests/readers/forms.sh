# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The forms of a dump, each made by njoin or nsplit-mount from the members of one capture.

# shellcheck disable=SC2034
forms_all='elf kdump split mount mount.kdump'

# forms_make CODEC: captures the file "core" of the current directory with this codec, and makes its
# forms there
forms_make() {
	nsplit -q -C "$1" core member0 member1 || return 1
	njoin -q -o elf member0 member1 || return 1
	njoin -q --format=kdump -o kdump member0 member1 || return 1
	njoin -q --format=kdump -o kdump.0 -o kdump.1 member0 member1 || return 1
	mkdir mnt
	if have nsplit-mount && have fusermount3 && [ -c /dev/fuse ]; then
		nsplit-mount -q member0 member1 mnt || return 1
	else
		echo 'The mount was not tried: there is no nsplit-mount, no fusermount3 or no /dev/fuse.'
		echo
	fi
}

# forms_files FORM: prints the names of its files; nothing if it could not be made
forms_files() {
	case $1 in
	split) echo kdump.0 kdump.1 ;;
	mount) [ ! -e mnt/vmcore ] || echo mnt/vmcore ;;
	mount.kdump) [ ! -e mnt/vmcore.kdump ] || echo mnt/vmcore.kdump ;;
	*) echo "$1" ;;
	esac
}

# forms_end DIRECTORY: unmounts the mount in it, even if a reader that was interrupted still has it open
forms_end() {
	! mountpoint -q "$1/mnt" || fusermount3 -u "$1/mnt" 2> /dev/null || fusermount3 -uz "$1/mnt"
}
