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

# said TEXT: the file err has this line
said() {
	grep -qxF -- "$1" err || fail "it does not say: $1
but: $(cat err)"
}

# made_figures CAPTURED UNREADABLE STATE: prints what nsplit --stats writes for a source of 4 MiB of which
# CAPTURED bytes are on the outputs, UNREADABLE blocks could not be read, and whose output ended in STATE
made_figures() {
	printf '{\n  "source_size": 4194304,\n  "block_size": 4096,\n  "source_bytes": %s,\n' "$1"
	printf '  "blocks": {\n    "unreadable": %s\n  },\n  "rungs": [\n    {\n' "$2"
	printf '      "source_bytes": 7\n    }\n  ],\n  "sinks": [\n    {\n      "name": "/dev/sdb",\n'
	printf '      "state": "%s",\n      "source_bytes": 7\n    }\n  ]\n}\n' "$3"
}

# make_premount: copies the script of initramfs-tools to the file premount, with all paths below the
# test's directory: the programs in bin, /etc in etc, the mounts in run/nsplit
make_premount() {
	cp "$srcdir/kdump/common/nsplit-kdump-functions" bin/
	sed -e "s|/proc/vmcore|$PWD/vmcore|g" -e "s|/proc/sysrq-trigger|$PWD/sysrq|" \
		-e "s|/usr/bin/nsplit|$PWD/bin/nsplit|" -e "s|/etc/|$PWD/etc/|g" \
		-e "s|/run/nsplit|$PWD/run/nsplit|" -e 's|^sleep 60|echo asleep >> steps|' \
		"$srcdir/kdump/initramfs-tools/init-premount/nsplit" > premount
}
