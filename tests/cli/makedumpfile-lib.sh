# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The beginning of the tests of nsplit under the name makedumpfile, which comes first in PATH then.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkdir bin
ln -s "$builddir/nsplit" bin/makedumpfile
PATH=$PWD/bin:$PATH

# The ends of what is printed.
failed="
makedumpfile Failed."
invalid="Commandline parameter is invalid.
Try \`makedumpfile --help' for more information.
$failed"

# saved FILE: likewise, after a dump
saved() {
	printf '\nThe dumpfile is saved to %s.\n\nmakedumpfile Completed.\n' "$1"
}

# told TEXT: standard error of the last expect_status was this, besides progress and figures
told() {
	sed -i "/^makedumpfile: [0-9.]* [KMG]*i*B captured in /d; /^makedumpfile:   /d; /^makedumpfile: exported /d
		/^makedumpfile: *[0-9.]* %, /d; /: the kernel's pages are on the disk, /d" err
	expect_err "$1"
}

# dumped FILE ARGUMENT...: makedumpfile writes the file, without a word besides the usual ones
dumped() {
	dump=$1
	shift
	expect_status 0 makedumpfile "$@"
	told ""
	expect_out "$(saved "$dump")"
	[ "$(stat -c %a "$dump")" = 600 ] || fail "the mode of $dump is $(stat -c %a "$dump")"
}

# refused TEXT ARGUMENT...: makedumpfile reports that its command line is wrong, also with --check-params
refused() {
	lib_text=$1
	shift
	expect_status 1 makedumpfile "$@"
	expect_err "makedumpfile: $lib_text"
	expect_out "$invalid"
	absent new
	expect_status 1 makedumpfile --check-params "$@"
	expect_err "makedumpfile: $lib_text"
	expect_out "${invalid%
"$failed"}"
}

# same_dump FILE OTHER: the same headers, bitmaps and pages, wherever they are
same_dump() {
	python3 -B "$srcdir/tests/cli/kdump-pages.py" "$1" "$2" > lib.pages 2>&1 || fail "$1: $(cat lib.pages)"
}

# need_no_original: skips the test if the original program would take over
need_no_original() {
	lib_original=$(command -v makedumpfile.distrib) || :
	[ ! -x "$lib_original" ] || skip "$lib_original is installed"
	for lib_directory in /usr/sbin /usr/bin /sbin /bin; do
		[ ! -x $lib_directory/makedumpfile.distrib ] || skip "$lib_directory/makedumpfile.distrib is installed"
	done
}

# make_original: puts one in PATH that prints its arguments, and ends with the status in the file status
make_original() {
	cat > bin/makedumpfile.distrib << 'END'
#!/bin/sh
echo "original:" "$@"
exit "$(cat "${0%/*}/status")"
END
	chmod +x bin/makedumpfile.distrib
	echo 0 > bin/status
	# shellcheck disable=SC2034 # for the scripts
	original=$PWD/bin/makedumpfile.distrib
}

# need_there: skips the test unless it can look like a capture kernel
need_there() {
	need unshare mount
	need_root "mounting a /proc of its own"
	unshare -m true 2> lib.mount || skip "no mount namespace may be made here"
	mkdir proc real
	unshare -m mount -t proc proc real 2> lib.mount || skip "no /proc may be mounted here"
}

# there COMMAND...: runs it in a capture kernel, where /proc/vmcore is the file named by core
there() {
	# shellcheck disable=SC2016 # for the other shell
	core=${core-kinds} unshare -m sh -c '
		mount -t proc proc real && mount -t tmpfs tmpfs proc || exit
		ln -s "$PWD"/real/* proc/ && rm -f proc/vmcore && cp "$core" proc/vmcore || exit
		mount --move proc /proc && exec "$@"' sh "$@"
}
