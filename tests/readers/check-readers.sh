#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which programs read a dump, in which form: each reader gets each form of one core, and its output
# must be the same as for the core itself.  From the build directory:
#	tests/readers/check-readers.sh CORE		readers that need no symbols
#	tests/readers/check-readers.sh CORE VMLINUX	also crash and drgn, which do
# CORE is an ELF vmcore; VMLINUX is its kernel with debug information.
#
# Prints a table of readers and forms in Markdown, and the command of each cell, with the file
# names used here.  CODEC=NAME captures with another codec than lzo.  A reader that is not
# installed, and a form that this build does not make, are reported and skipped.  TMPDIR needs
# about three times the size of the core.
#
# Exit status: 0 each cell that was tried is right; 1 some are wrong; 2 usage.

set -u

LC_ALL=C
export LC_ALL
unset CDPATH
builddir=$(cd "${builddir:-.}" && pwd)
PATH=$builddir:$builddir/tests/readers:$PATH:/usr/sbin:/sbin
codec=${CODEC:-lzo}
forms='elf kdump split mount mount.kdump'
scratch=
failures=0

[ $# -eq 1 ] || [ $# -eq 2 ] || {
	echo 'usage: check-readers.sh CORE [VMLINUX]' >&2
	exit 2
}
core=$(realpath "$1") || exit 2
vmlinux=
[ $# -eq 1 ] || vmlinux=$(realpath "$2") || exit 2

clean() {
	[ -z "$scratch" ] || {
		! mountpoint -q "$scratch/mnt" || fusermount3 -u "$scratch/mnt"
		cd /
		rm -rf "$scratch"
	}
}

trap clean EXIT
# The exit runs the EXIT trap above.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

have() {
	command -v "$1" > /dev/null
}

# --- forms: each is a list of files, empty if it could not be made --------------------------

files() {
	case $1 in
	split) echo kdump.0 kdump.1 ;;
	mount) [ ! -e mnt/vmcore ] || echo mnt/vmcore ;;
	mount.kdump) [ ! -e mnt/vmcore.kdump ] || echo mnt/vmcore.kdump ;;
	*) echo "$1" ;;
	esac
}

make_forms() {
	ln -s "$core" core
	nsplit -q -C "$codec" core member0 member1 || exit 1
	njoin -q -o elf member0 member1 || exit 1
	njoin -q --format=kdump -o kdump member0 member1 || exit 1
	njoin -q --format=kdump -o kdump.0 -o kdump.1 member0 member1 || exit 1
	mkdir mnt
	if have nsplit-mount && have fusermount3 && [ -c /dev/fuse ]; then
		nsplit-mount -q member0 member1 mnt || exit 1
	else
		echo 'The mount was not tried: there is no nsplit-mount, no fusermount3 or no /dev/fuse.'
		echo
	fi
}

# --- readers: READER FILE... prints the output to be compared, or fails ---------------------

# The bytes of the core.
read_cmp() {
	cmp core "$1"
}

# Each page of the core.
read_libkdumpfile() {
	compare core "$@" > compared || {
		cat compared
		return 1
	}
}

# The kernel log.
read_makedumpfile_log() {
	makedumpfile -F --dump-dmesg "$1"
}

# Joins the parts into one file, and reads its pages.
read_makedumpfile_reassemble() {
	rm -f whole
	makedumpfile --reassemble "$@" whole > /dev/null && compare core whole > compared
}

# Removes the pages that makedumpfile -d 31 leaves out, and reads the log of the rest.
read_makedumpfile_filter() {
	rm -f filtered
	makedumpfile -l -d 31 "$1" filtered > /dev/null && makedumpfile -F --dump-dmesg filtered
}

# njoin --dmesg on a file that njoin wrote, captured again as a member.
read_njoin_log() {
	nsplit -q -C lz4 "$1" again && njoin -q --dmesg again
	status=$?
	rm -f again
	return $status
}

# Reads memory at the address of init_uts_ns in VMCOREINFO; it contains "Linux".
read_gdb() {
	address=$(grep -a -m1 -o 'SYMBOL(init_uts_ns)=[0-9a-f]*' core | cut -d= -f2)
	gdb -nx -batch -core="$1" -ex "x/s 0x$address" -ex 'info registers rip rsp' 2> /dev/null
}

# The first command of an analyst; the names of the files may differ.
read_crash() {
	cat > crash.commands << 'END'
sys
bt -a
ps
rd -p 0x1000 64
rd -p 0x234000 512
rd -p 0x1003000 512
log > crash.log
quit
END
	rm -f crash.log
	crash -s -i crash.commands "$vmlinux" "$@" 2>&1 < /dev/null |
		grep -v -e DUMPFILE -e '^ *kdump\.[01]$' -e "$vmlinux" -e '^please wait' && cat crash.log
}

read_drgn() {
	cat > tasks.py << 'END'
from drgn.helpers.linux.pid import for_each_task

print(prog["init_uts_ns"].name.release)
for task in for_each_task(prog):
    print(task.pid.value_(), task.comm, prog.stack_trace(task) if not task.on_cpu else "")
END
	drgn -q -c "$1" -s "$vmlinux" tasks.py
}

# --- the table ------------------------------------------------------------------------------

# Debian's makedumpfile supports neither Snappy nor zstd; pages that it copies keep their codec.
knows_codec() {
	! makedumpfile -v 2>&1 | grep -q "^$codec.*disabled"
}

# suits READER FORM: the reader supports the form
suits() {
	case $1-$2 in
	makedumpfile_*-kdump) knows_codec || return 1 ;;
	esac
	case $1-$2 in
	cmp-elf | cmp-mount | gdb-elf | gdb-mount | njoin_log-elf | njoin_log-mount) ;;
	cmp-* | gdb-* | njoin_log-*) return 1 ;;
	makedumpfile_reassemble-split) ;;
	makedumpfile_reassemble-* | makedumpfile_log-split | makedumpfile_filter-split | drgn-split)
		return 1 ;;
	esac
}

# reference READER: its output for the core itself
reference() {
	case $1 in
	cmp | libkdumpfile | makedumpfile_reassemble) : ;;
	njoin_log) read_makedumpfile_log core ;;
	*) "read_$1" core ;;
	esac
}

# command_of READER: prints the command in its function
command_of() {
	sed -n "/^read_$1()/,/^}/p" "$script" | sed '1d; $d; s/^/    /'
}

# cell READER FORM: prints the cell of the table
cell() {
	of=$(files "$2")
	if [ -z "$of" ] || ! suits "$1" "$2"; then
		printf ' |'
		return
	fi
	# shellcheck disable=SC2086
	if "read_$1" $of > got 2> got.err && cmp -s want got; then
		printf ' right |'
	else
		printf ' WRONG |'
		failures=$((failures + 1))
		cat got.err >> errors
		diff want got | head -n 20 >> errors
	fi
}

row() {
	printf '| %s |' "$1" | tr _ ' '
	reference "$1" > want 2> want.err || {
		cat want.err >> errors
		failures=$((failures + 1))
		printf ' WRONG of the core itself |\n'
		return
	}
	for form in $forms; do
		cell "$1" "$form"
	done
	echo
}

readers() {
	echo cmp
	! have compare || echo libkdumpfile
	! have makedumpfile || echo makedumpfile_log
	! have makedumpfile || ! have compare || echo makedumpfile_reassemble
	! have makedumpfile || echo makedumpfile_filter njoin_log
	! have gdb || echo gdb
	[ -z "$vmlinux" ] || ! have crash || echo crash
	[ -z "$vmlinux" ] || ! have drgn || echo drgn
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/nsplit-readers.XXXXXX") || exit 1
script=$(realpath "$0")
cd "$scratch" || exit 1
: > errors
make_forms
printf '| %s |' "$codec"
for form in $forms; do
	printf ' %s |' "$form"
done
printf '\n|---|---|---|---|---|---|\n'
for reader in $(readers); do
	row "$reader"
done
echo
for reader in $(readers); do
	printf '%s:\n\n' "$reader" | tr _ ' '
	command_of "$reader"
	echo
done
[ "$failures" -eq 0 ] || {
	cat errors >&2
	echo "check-readers: $failures cells are wrong" >&2
	exit 1
}
