# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For tests of what is installed for kdump: lib.sh, and stubs of programs.  A stub that hangs writes its
# process id into the file hanging, and is ended with the test.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# end_hanging: whatever hangs is not left behind
end_hanging() {
	xargs -r kill < "$lib_dir/hanging" 2> /dev/null || :
}

trap 'end_hanging; lib_clean' EXIT
: > hanging

# stub FILE: a program of standard input's lines
stub() {
	{
		echo '#!/bin/sh'
		cat
	} > "$1"
	chmod +x "$1"
}

# stub_hanging FILE: a program that does not end
stub_hanging() {
	stub "$1" <<- END
		echo \$\$ >> $PWD/hanging
		exec $(command -v sleep) 300
	END
}

# stub_sleep FILE: as some have it: whole seconds only; each is a line of the file slept
stub_sleep() {
	stub "$1" <<- END
		case \$1 in *.*) exit 1 ;; esac
		echo "\$1" >> $PWD/slept
		exec $(command -v sleep) "\$1"
	END
}
