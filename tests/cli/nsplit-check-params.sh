#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --check-params prints nothing if a capture would work, and otherwise each reason why it would not;
# it writes nothing.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

head -c 5000 "$srcdir/COPYING" > core
echo precious > old
mkdir directory

# told: makes what this machine has in the file err the same everywhere: the space, the file system
# (unknown in a chroot whose root directory is no mount point), the memory
told() {
	sed -i 's/: [0-9.]* [KMGT]iB free\( (.* on .*)\)*$/: N free/; s/memory: .*/memory/' err
}

# good ARGUMENT...
good() {
	expect_status 0 nsplit --check-params "$@"
	expect_out ""
	expect_err ""
	absent new stats
}

good core new
good -c -j2 --stats=stats core new null
good -f core old
good --progress core new
# -v lists what was checked and what was not.
echo '# nothing' > conf
expect_status 0 nsplit --check-params -v --config=conf core new '|cat > made' null
told
expect_err "nsplit: ok: configuration conf
nsplit: ok: codec raw
nsplit: ok: source core, 4.9 KiB
nsplit: ok: output new: N free
nsplit: ok: |cat > made: the program cat exists
nsplit: not checked: output |cat > made: what its command does, and how much it can hold
nsplit: ok: output null: N free
nsplit: not checked: space: that of some outputs is unknown
nsplit: ok: memory
nsplit: not checked: the compression ratio and the speed of the outputs
nsplit: 7 ok, 0 problems, 0 warnings, 0 notes, 3 not checked"
expect_status 0 nsplit --check-params -v --stats=stats - null: < core
told
expect_err "nsplit: ok: no configuration file
nsplit: ok: codec raw
nsplit: not checked: source standard input: the length of a stream is unknown
nsplit: note: output null: saves nothing
nsplit: ok: --stats=stats can be written
nsplit: ok: memory
nsplit: not checked: the compression ratio and the speed of the outputs
nsplit: 4 ok, 0 problems, 0 warnings, 1 note, 2 not checked"
absent stats
rm conf
good --dry-run core new
expect_status 0 nsplit core new -c --check-params
[ "$(cat old)" = precious ] || fail "it writes to an output"

# An incomplete command line.
expect_usage nsplit "no OUTPUT given" --check-params core
printf 'frob = 1\n' > conf
expect_status 2 nsplit --check-params --config=conf core new
expect_err "nsplit: conf:1: unknown key 'frob'; see nsplit.conf(5)"
expect_status 2 nsplit --check-params --mem-limit=100K -j1 core new
sed -i 's/[0-9]* bytes$/N bytes/' err
expect_err "nsplit: --mem-limit=102400 is too small; these options need at least N bytes"

# All problems are reported at once; only what would lose the dump decides the status.
expect_status 0 nsplit --check-params core new nowhere/a neither/b
expect_err "nsplit: warning: nowhere/a: the directory nowhere does not exist
nsplit: warning: neither/b: the directory neither does not exist"
# Without one that can be used, the dump would be lost.
expect_status 1 nsplit --check-params core nowhere/a neither/b
expect_err "nsplit: nowhere/a: the directory nowhere does not exist
nsplit: neither/b: the directory neither does not exist"
expect_status 2 nsplit --check-params --stats=core --mem-limit=1 core nowhere/a old core new ./new directory
sed -i 's/[0-9]* bytes$/N bytes/' err
expect_err "nsplit: warning: nowhere/a: the directory nowhere does not exist
nsplit: old: already exists; use -f to overwrite
nsplit: core: is the source
nsplit: ./new: is the same file as new
nsplit: directory: is a directory; an output must be a file or a device
nsplit: --stats=core: is the source
nsplit: --mem-limit=1 is too small; these options need at least N bytes"
expect_status 2 nsplit --check-params -f core core null: new
expect_err "nsplit: core: is the source
nsplit: null: discards its data, so it cannot be combined with other outputs"
expect_status 1 nsplit --check-params core /dev/no-such-disk
expect_err "nsplit: /dev/no-such-disk: No such device"

# The file of --stats, which is not created.
expect_status 2 nsplit --check-params --stats=old core new
expect_err "nsplit: --stats=old: is another file; only a file that --stats has written is replaced"
[ "$(cat old)" = precious ] || fail "it writes the statistics"
: > figures
good --stats=figures core new
[ ! -s figures ] || fail "it writes the statistics"
rm figures
good --stats=/dev/null core new
# No capture fails for it.
for options in --check-params '-n -q'; do
	begin='warning: ' end='' status=0
	[ "$options" = --check-params ] || begin='' end='; it would not be written' status=1
	# shellcheck disable=SC2086 # a list of options
	expect_status $status nsplit $options --stats=nowhere/stats core new
	expect_err "nsplit: $begin--stats=nowhere/stats: the directory nowhere does not exist$end"
	# shellcheck disable=SC2086
	expect_status $status nsplit $options --stats=old/stats core new
	expect_err "nsplit: $begin--stats=old/stats: Not a directory$end"
	# shellcheck disable=SC2086
	expect_status $status nsplit $options --stats=directory core new
	expect_err "nsplit: $begin--stats=directory: Is a directory$end"
done

# Commands are parsed by the shell, but not run.  The shell's own messages are not compared.
good core '|touch made' '|cat > "a b"'
absent made 'a b'
expect_status 0 nsplit --check-params core '|cat > "a' '|if' '|true'
grep '^nsplit: ' err > own
mv own err
expect_err "nsplit: warning: |cat > \"a: syntax error in the shell command
nsplit: warning: |if: syntax error in the shell command"
expect_status 2 nsplit --check-params core '|cat > "a' '|if'
grep '^nsplit: ' err > own
mv own err
expect_err "nsplit: |cat > \"a: syntax error in the shell command
nsplit: |if: syntax error in the shell command"
# shellcheck disable=SC2016 # for the filter's shell
good --filter='touch "$FILE"' core made
absent made
expect_status 2 nsplit --check-params --filter='(cat > "$FILE"' core a
grep '^nsplit: ' err > own
mv own err
expect_err "nsplit: --filter: syntax error in the shell command"

# What cannot be combined with a filter.
for output in - null:; do
	# shellcheck disable=SC2016
	expect_status 2 nsplit --check-params --filter='cat > "$FILE"' core $output
	expect_err "nsplit: $output: cannot be combined with --filter, which requires file names"
done

# A missing source; only /proc/vmcore may be missing.
expect_status 1 nsplit --check-params absent new
expect_err "nsplit: absent: No such file or directory"
expect_status 1 nsplit --check-params /proc/no-vmcore new
expect_err "nsplit: /proc/no-vmcore: No such file or directory"
# The rest is checked even so.
expect_status 2 nsplit --check-params --stats=nowhere/stats -d31 absent nowhere/a old new ./new
expect_err "nsplit: absent: No such file or directory
nsplit: warning: nowhere/a: the directory nowhere does not exist
nsplit: old: already exists; use -f to overwrite
nsplit: ./new: is the same file as new
nsplit: warning: --stats=nowhere/stats: the directory nowhere does not exist"
expect_status 1 nsplit --check-params -v -d31 absent new '|no-such-program'
told
expect_err "nsplit: ok: no configuration file
nsplit: ok: codec raw
nsplit: problem: absent: No such file or directory
nsplit: ok: output new: N free
nsplit: warning: |no-such-program: the program no-such-program is not installed, or not in a directory of PATH
nsplit: not checked: whether space and memory are sufficient for the source
nsplit: not checked: which pages can be left out
nsplit: 3 ok, 1 problem, 1 warning, 0 notes, 2 not checked"
absent new

# A dump in memory would be lost: tests/system/in-memory.sh.
case $(stat -f -c %T .) in
tmpfs | ramfs | overlayfs) skip "TMPDIR may be in memory, and the rest has to be on a disk" ;;
esac

# Memory: the test provides its own /proc and /sys.
[ ! -e /proc/vmcore ] || skip "this is a capture kernel, and the rest is for others"
need unshare mount
need_root "mounting"
unshare -m true 2> /dev/null || skip "no mount namespace may be made here"
# shellcheck disable=SC2016 # for the other shell
expect_status 0 unshare -m sh -c 'mount -t tmpfs -o ro none directory && exec "$@"' \
	sh nsplit --check-params --stats=directory/stats core new
expect_err "nsplit: warning: --stats=directory/stats: Read-only file system"
mkdir -p sys/kernel
truncate -s 1G large

# available KIB STATUS ARGUMENT...: with this much memory available
available() {
	printf 'MemTotal: 9999 kB\nMemAvailable: %s kB\n' "$1" > meminfo
	status=$2
	shift 2
	# shellcheck disable=SC2016 # for the other shell
	expect_status "$status" unshare -m sh -c 'mount --bind meminfo /proc/meminfo && exec "$@"' \
		sh nsplit --check-params "$@"
	expect_out ""
	absent new
}

available 65536 0 -c -j8 large new
expect_err ""
# With less memory than desired, there is a dump nevertheless.
available 20480 0 -c -j8 large new
sed -i 's/need [0-9.]* MiB /need N /' err
expect_err "nsplit: warning: 8 threads need N of memory and 14.8 MiB is available (this machine); using 6 threads and 7 chunks"
available 6144 1 -c -j8 large new
sed -i 's/need [0-9.]* MiB /need N /' err
expect_err "nsplit: 8 threads need N of memory and 1.6 MiB is available (this machine); trying 1 thread and 1 chunk of 128.0 KiB"
available 11264 0 -c -j8 --mem-limit=10M large new
expect_err ""

# reserved BYTES STATUS ARGUMENT...: with this much reserved for the capture kernel
reserved() {
	echo "$1" > sys/kernel/kexec_crash_size
	status=$2
	shift 2
	# shellcheck disable=SC2016 # for the other shell
	expect_status "$status" unshare -m sh -c 'mount --bind sys /sys && exec "$@"' sh \
		nsplit --check-params "$@"
	expect_out ""
	absent new
}

reserved 268435456 0 -c -j8 /proc/vmcore new
expect_err ""
reserved 268435456 0 -c -j8 --mmap=never /proc/vmcore new
expect_err ""
reserved 134217728 0 -c -j100 /proc/vmcore new
sed -i 's/need [0-9.]* MiB /need N /; s/using [0-9]* threads and [0-9]* /using N threads and N /' err
expect_err "nsplit: warning: 100 threads need N of memory and 33.5 MiB is available (what a capture kernel leaves free of crashkernel=); using N threads and N chunks"
reserved 100663296 1 -c -j1 /proc/vmcore new
sed -i 's/needs [0-9.]* MiB /needs N /' err
expect_err "nsplit: 1 thread needs N of memory and 4.4 MiB is available (what a capture kernel leaves free of crashkernel=); trying 1 thread and 1 chunk of 128.0 KiB"
reserved 134217728 0 -c -j2 --mem-limit=39M /proc/vmcore new
expect_err ""
reserved 0 1 -c -j8 /proc/vmcore new
expect_err "nsplit: no memory is reserved for a capture kernel (crashkernel=)"
# Irrelevant if the source is captured here.
reserved 0 0 -c core new
expect_err ""
# The reserved size is unknown.
rm sys/kernel/kexec_crash_size
reserved '' 0 -c -j100 /proc/vmcore new
expect_err ""
