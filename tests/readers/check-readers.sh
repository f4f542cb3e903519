#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What reads a dump, and in which form: each reader is given each form of one core, and must say
# of it what it says of the core itself.  From the build directory:
#	tests/readers/check-readers.sh CORE		readers that need no symbols
#	tests/readers/check-readers.sh CORE VMLINUX	and those that do: crash, drgn
# CORE is an ELF vmcore; VMLINUX its kernel's, with debug information.
#
# Prints a table of readers and forms, in Markdown, and under it the command of each cell, by the
# names that files have here.  CODEC=NAME captures with another codec than lzo.  A
# reader that is not installed, or a form that this build does not make, is told, and skipped.
# TMPDIR has the core some three times over.
#
# Exit status: 0 each cell that was tried is right; 1 not; 2 usage.

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
# Exit from a trap runs the one above.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

have() {
	command -v "$1" > /dev/null
}

# --- forms: each is the list of its files, empty if it could not be made ------------------

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

# --- readers: READER FILE... prints what is to be compared, or fails -----------------------

# The bytes are the core's.
read_cmp() {
	cmp core "$1"
}

# Each page is the core's.
read_libkdumpfile() {
	compare core "$@" > compared || {
		cat compared
		return 1
	}
}

# The kernel's log.
read_makedumpfile_log() {
	makedumpfile -F --dump-dmesg "$1"
}

# The parts in one file again, and its pages.
read_makedumpfile_reassemble() {
	rm -f whole
	makedumpfile --reassemble "$@" whole > /dev/null && compare core whole > compared
}

# Without the pages that nobody needs, and the log that is left.
read_makedumpfile_filter() {
	rm -f filtered
	makedumpfile -l -d 31 "$1" filtered > /dev/null && makedumpfile -F --dump-dmesg filtered
}

# njoin's own, of what it put together: there it has one member, of one form.
read_njoin_log() {
	nsplit -q -C lz4 "$1" again && njoin -q --dmesg again
	status=$?
	rm -f again
	return $status
}

# Where VMCOREINFO says that the kernel's names are; they begin with "Linux".
read_gdb() {
	address=$(grep -a -m1 -o 'SYMBOL(init_uts_ns)=[0-9a-f]*' core | cut -d= -f2)
	gdb -nx -batch -core="$1" -ex "x/s 0x$address" -ex 'info registers rip rsp' 2> /dev/null
}

# What an analyst types first; the names of the files may differ.
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

# Debian's makedumpfile knows neither Snappy nor zstd; a page moved as it is, is of the codec.
knows_codec() {
	! makedumpfile -v 2>&1 | grep -q "^$codec.*disabled"
}

# suits READER FORM: is there such a cell?
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

# What the reader says of the core itself.
reference() {
	case $1 in
	cmp | libkdumpfile | makedumpfile_reassemble) : ;;
	njoin_log) read_makedumpfile_log core ;;
	*) "read_$1" core ;;
	esac
}

# The command of a reader, as its function has it.
command_of() {
	sed -n "/^read_$1()/,/^}/p" "$script" | sed '1d; $d; s/^/    /'
}

# The cell of a reader and a form.
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
