# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For tests of the scripts for kdump: lib.sh, and functions that make stubs of programs.  A stub that
# hangs writes its process id to the file hanging, and is killed when the test ends.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# end_hanging: kills the stubs that hang
end_hanging() {
	xargs -r kill < "$lib_dir/hanging" 2> /dev/null || :
}

trap 'end_hanging; lib_clean' EXIT
: > hanging

# stub FILE: makes a program of the lines on standard input
stub() {
	{
		echo '#!/bin/sh'
		cat
	} > "$1"
	chmod +x "$1"
}

# stub_hanging FILE: makes a program that does not end
stub_hanging() {
	stub "$1" <<- END
		echo \$\$ >> $PWD/hanging
		exec $(command -v sleep) 300
	END
}

# stub_sleep FILE: makes a sleep that accepts whole seconds only, like some, and counts its calls in
# the file slept
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

# made_figures CAPTURED UNREADABLE STATE [CHANGED]: prints what nsplit --stats writes for a source of
# 4 MiB, of which CAPTURED bytes are on the outputs, UNREADABLE could not be read, and CHANGED are of
# pages that changed meanwhile, and whose output ended in STATE
made_figures() {
	printf '{\n  "source_size": 4194304,\n  "block_size": 4096,\n  "source_bytes": %s,\n' "$1"
	printf '  "unreadable_bytes": %s,\n  "changed_bytes": %s,\n' "$2" "${4:-0}"
	printf '  "missing_bytes": %s,\n' $((4194304 - $1 - ${4:-0}))
	printf '  "blocks": {\n    "unreadable": 7\n  },\n  "rungs": [\n    {\n'
	printf '      "source_bytes": 7\n    }\n  ],\n  "sinks": [\n    {\n      "name": "/dev/sdb",\n'
	printf '      "state": "%s",\n      "source_bytes": 7\n    }\n  ]\n}\n' "$3"
}

# make_premount: copies the script of initramfs-tools to the file premount, with all paths below the
# test's directory: programs in bin, /etc in etc, mounts in run/nsplit
make_premount() {
	cp "$srcdir/kdump/common/nsplit-kdump-functions" bin/
	sed -e "s|/proc/vmcore|$PWD/vmcore|g" -e "s|/proc/sysrq-trigger|$PWD/sysrq|" \
		-e "s|/usr/bin/nsplit|$PWD/bin/nsplit|" -e "s|/etc/|$PWD/etc/|g" \
		-e "s|/run/nsplit|$PWD/run/nsplit|" -e 's|^sleep 60|echo asleep >> steps|' \
		"$srcdir/kdump/initramfs-tools/init-premount/nsplit" > premount
}

# says PATTERN: a line of the console matches
says() {
	grep -qx -- "$1" err || fail "it does not say: $1
but: $(cat err)"
}

# small DIRECTORY MIB: mounts a file system of this size
small() {
	mkdir -p "$1"
	mount -t tmpfs -o size="$2M" small "$1" 2> mount.err || skip "no tmpfs: $(cat mount.err)"
}

# need_small: the test needs small file systems, at places of the collectors
need_small() {
	need bash mount umount
	need_root "a small file system"
	trap 'umount_small || :; lib_clean' EXIT
}

umount_small() {
	umount "$lib_dir"/crash1 "$lib_dir"/crash2 "$lib_dir"/mnt "$lib_dir"/run/nsplit/1
} 2> /dev/null

# suse_transfer: copies the collector of SUSE to the directory suse, to be run with its settings in
# etc, and the target mounted at mnt
suse_transfer() {
	mkdir suse
	cp "$srcdir"/kdump/suse/nsplit-kdump-transfer "$srcdir"/kdump/common/nsplit-* suse/
	NSPLIT_ETC=$PWD/etc NSPLIT_KDUMP_MOUNT=$PWD/mnt NSPLIT_SOURCE=$PWD/vmcore
	export NSPLIT_ETC NSPLIT_KDUMP_MOUNT NSPLIT_SOURCE
	rm -f bin/date
}

# small_premount MIB SETTING...: makes premount, with one disk of this size, at run/nsplit/1, and a
# configuration of these lines and the member $member, which is in a directory that exists
small_premount() {
	make_premount
	stub bin/nsplit <<- END
		exec $builddir/nsplit "\$@"
	END
	: | stub bin/umount
	small run/nsplit/1 "$1"
	shift
	mkdir run/nsplit/1/2026-11-22-141158
	member=run/nsplit/1/2026-11-22-141158/vmcore
	printf '%s\n' "$@" "output = $PWD/$member" > premount.conf
	stub bin/nsplit-mount-disks <<- END
		rm -f $PWD/run/nsplit/1/*/*
		cp $PWD/premount.conf $PWD/etc/nsplit.conf
	END
}

# --- nsplit under the name of makedumpfile ---------------------------------------

# system_made DIRECTORY: makes a root file system there, with nsplit, a shell, and their libraries
system_made() {
	mkdir -p "$1/usr/bin" "$1/usr/sbin" "$1/usr/lib" "$1/usr/lib64" "$1/etc" "$1/var/tmp"
	for directory in bin sbin lib lib64; do
		ln -s "usr/$directory" "$1/$directory"
	done
	system_program "$1" "$builddir/nsplit" nsplit
	system_program "$1" "$(command -v dash)" dash
	ln -s dash "$1/usr/bin/sh"
	# Where dracut-install of dracut 112 looks for them.
	libraries "$builddir/nsplit" | sed 's|/[^/]*$||' | sort -u > "$1/etc/ld.so.conf"
}

# system_program DIRECTORY FILE NAME: copies a program and its libraries
system_program() {
	cp -L "$2" "$1/usr/bin/$3"
	libraries "$2" | while read -r library; do
		mkdir -p "$1${library%/*}"
		cp -L "$library" "$1$library"
	done
}

# libraries FILE: prints the shared libraries of a program; a static program has none
libraries() {
	ldd "$1" 2> ldd.err | sed -n 's|^[^/]*\(/[^ ]*\).*|\1|p'
}

# libraries_in DIRECTORY: those of nsplit are there
libraries_in() {
	libraries "$builddir/nsplit" > libraries
	while read -r library; do
		[ -e "$1$library" ] || fail "$library is not there"
	done < libraries
}

# stub_original FILE: makes a program that says that it is the original, and with which arguments it is called
stub_original() {
	stub "$1" <<- 'END'
		echo "the original: $*"
	END
}

# runs_alone DIRECTORY: with only the files there, makedumpfile is nsplit, which calls the original if it
# fails before it has written anything
runs_alone() {
	need_root 'running the programs of an initramfs'
	called_in "$1" -v
	version=$(nsplit --version | sed -n '1s/.* //p')
	[ "$(head -n 1 out)" = "makedumpfile: version 1.7.8 (nsplit $version)" ] || fail "-v prints: $(cat out)"
	called_in "$1" -l -d 31 /vmcore /dump
	expect_out 'the original: -l -d 31 /vmcore /dump'
	absent "$1/dump"
}

# called_in DIRECTORY ARGUMENT...: calls makedumpfile in that root file system, as after a crash; but without
# /proc, which the search for leaks needs
called_in() {
	called=$1
	shift
	expect_status 0 env -i PATH=/usr/sbin:/usr/bin ASAN_OPTIONS=detect_leaks=0 \
		chroot "$called" makedumpfile "$@"
}
