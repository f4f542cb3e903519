#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Options of makedumpfile on which nothing depends here: a line says so, and the dump is the same.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"
need python3

make_core kinds
make_core log
expect_status 0 nsplit -q -d 31 --format=kdump kinds want

# ignored TEXT ARGUMENT...
ignored() {
	text=$1
	shift
	expect_status 0 makedumpfile "$@" -d 31 kinds new
	told "$text"
	expect_out "$(saved new)"
	same_dump new want
	rm new
	# Only the dump is printed about there.
	expect_status 0 makedumpfile --message-level 4 "$@" -d 31 kinds new
	expect_err ""
	expect_out ""
	rm new
	expect_status 0 makedumpfile --check-params "$@" -d 31 kinds new
	expect_err ""
	expect_out ""
	absent new
}

x="makedumpfile: ignored: -x: VMCORE describes its kernel"
ignored "$x" -x vmlinux
ignored "$x" -x vmlinux -x other
ignored "makedumpfile: ignored: -i: VMCORE describes its kernel" -i nowhere
ignored "makedumpfile: ignored: -b: nsplit has no page cache to size" -b 3
ignored "makedumpfile: ignored: --cyclic-buffer: the bitmap is kept in memory" --cyclic-buffer 1024
ignored "makedumpfile: ignored: --splitblock-size: parts have equal numbers of pages" --splitblock-size=1
directory="makedumpfile: ignored: --work-dir: there are no temporary files"
ignored "$directory" --work-dir nowhere
ignored "makedumpfile: ignored: -e: the memory map is kept, so that crash can use it
$directory" --work-dir nowhere -e
ignored "$x
makedumpfile: ignored: -b: nsplit has no page cache to size" -x vmlinux -b 1 -b 2

refused "-x cannot be combined with -i" -x vmlinux -i vmcoreinfo kinds new
refused "-e requires --work-dir" -e kinds new

# Likewise in a log, and in parts.
expect_status 0 makedumpfile -x vmlinux --dump-dmesg ring text
told "$x"
expect_status 0 makedumpfile --splitblock-size=1 --split kinds a b
told "makedumpfile: ignored: --splitblock-size: parts have equal numbers of pages"
