#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --estimate: what it prints of a made-up machine, what it says of what cannot be read, and wrong options.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
make_core kinds
[ ! -e /proc/vmcore ] || skip 'this is a capture kernel, in which options are forgiven'
[ "$(getconf PAGESIZE)" = 4096 ] || skip 'the sizes are those of pages of 4 KiB'
for codec in lz4 zstd; do
	have_codec $codec || skip "this build has no $codec"
done

NSPLIT_ROOT=$PWD/root
export NSPLIT_ROOT
mkdir -p root/proc root/sys/kernel disk

# estimate STATUS ARGUMENT...: runs it; what differs from machine to machine becomes a letter
estimate() {
	estimate_want=$1
	shift
	expect_status "$estimate_want" nsplit --estimate "$@"
	sed -e 's/^\(memory of the capture:\) [0-9.]* MiB for/\1 M for/' -e 's|; [0-9.]* [KMG]*i*B/s in a trial|; R/s in a trial|' \
		-e 's/: [0-9.]* [KMGT]iB free, room for [0-9]* dumps*/: S free, room for N/' \
		-e 's/in \(about\|at least\) .* \(s\|min\|h\)\(;\|$\)/in \1 T\3/' \
		-e 's/has room for [0-9]*$/has room for N/' out > said
}

# --- a machine of 1 GiB, of which 256 MiB are for the capture kernel ------------------------

echo '00000000-3fffffff : System RAM' > root/proc/iomem
echo '  10000000-1fffffff : Crash kernel' >> root/proc/iomem
cat > root/proc/meminfo << 'END'
MemTotal:         786432 kB
MemFree:          524288 kB
Cached:           131072 kB
AnonPages:         65536 kB
END
echo 'ro crashkernel=256M' > root/proc/cmdline
echo 268435456 > root/sys/kernel/kexec_crash_size

estimate 0 -c -d 31 -j2
cat > want << END
memory: 768.0 MiB in 196608 pages; by /proc/meminfo, because $PWD/root/proc/kcore: No such file or directory
packed size: that of usual machines, because $PWD/root/proc/kcore: No such file or directory

class                   memory  left out by
kernel                48.0 MiB  no level
map                   16.0 MiB  no level
cache (clean)        128.0 MiB  cache (2)
user (anonymous)      64.0 MiB  user (8)
free                 512.0 MiB  free (16)

-d           lzo          raw          lz4       zstd:1  leaves out
0      302.5 MiB    770.1 MiB    302.5 MiB    239.2 MiB  nothing
16      92.8 MiB    256.7 MiB     92.8 MiB     72.7 MiB  free
24      67.0 MiB    192.5 MiB     67.0 MiB     52.0 MiB  user, free
31      15.5 MiB     64.2 MiB     15.5 MiB     10.7 MiB  cache, private, user, free

memory of the capture: M for 2 threads, of 164.0 MiB that the capture kernel leaves of 256.0 MiB

crashkernel=256M, -j2, -d 31: 15.5 MiB in at least T
END
same said want
expect_err ''

# One level more in the table; the codec of the options comes first, and is there once.
estimate 0 -z -d 8 -j1
grep -q '^-d        zstd:1          raw          lzo          lz4  leaves out$' said || fail "$(cat said)"
grep -q '^8  .*  user$' said || fail "$(cat said)"
estimate 0 -C auto
grep -q '^-d           lzo          raw          lz4       zstd:1  leaves out$' said || fail "$(cat said)"
estimate 0 --format=kdump -c -d 31
grep -q '^-d           lzo          raw       zstd:1  leaves out$' said || fail "$(cat said)"
estimate 0 --format=elf -d 31
grep -q '^31      64.0 MiB  cache, private, user, free$' said || fail "$(cat said)"

# The command line of the crash has a SOURCE.  Without -j, the CPUs are those of the capture kernel.
estimate 0 -c -d 31 -j2 /proc/vmcore
same said want
estimate 0 -c -d 31
grep -qx 'crashkernel=256M, -j1, -d 31: 15.5 MiB in at least T' said || fail "$(cat said)"
# A machine on which a crash makes no dump.
echo 0 > root/sys/kernel/kexec_crash_loaded
estimate 0 -c -d 31 -j2
expect_err "nsplit: no capture kernel is loaded, so a crash makes no dump; start the system's kdump service"
same said want
rm root/sys/kernel/kexec_crash_loaded

# --- outputs --------------------------------------------------------------------------------

# Nothing is left of the trial.
estimate 0 -c -d 31 -j2 disk/core
# A busy disk may be too slow for it.
grep -qxE 'output disk/core: S free, room for N; (R/s in a trial|not tried: .*)' said || fail "$(cat said)"
grep -qxE 'crashkernel=256M, -j2, -d 31: 15.5 MiB in (about|at least) T; disk has room for N' said || fail "$(cat said)"
[ -z "$(ls -A disk)" ] || fail "left over: $(ls -A disk)"

expect_status 0 nsplit --estimate --json -c -d 31 /proc/vmcore disk/core null:
python3 -c '
import json
said = json.load(open("out"))
file, null = said["outputs"]
assert (file["name"], file["kind"], null["name"], null["kind"]) == ("disk/core", "file", "null:", "null"), said
assert file["dumps"] == file["space_bytes"] // said["bytes"] and "dumps" not in null and "dumps" not in said, said
assert not null["tried"] and null["not_tried"] == "it stores nothing", said
' || fail "$(cat out)"

# Commands are not run, and so there is no time for them.
estimate 0 -c -d 31 -j2 '|touch run; cat > core'
grep -qx 'output |touch run; cat > core: its space is unknown; not tried: a command is not run for a trial' said ||
	fail "$(cat said)"
grep -qx 'crashkernel=256M, -j2, -d 31: 15.5 MiB in at least T; whether it fits is unknown' said || fail "$(cat said)"
[ ! -e run ] || fail 'the command was run'

estimate 0 -c -d 31 -j2 null:
grep -qx 'output null:: its space is unknown; not tried: it stores nothing' said || fail "$(cat said)"

# An output that cannot be used is reported, and the rest is printed.
estimate 1 -c -d 31 -j2 nowhere/core
expect_err "nsplit: nowhere/core: the directory nowhere does not exist"
grep -qx 'output nowhere/core: its space is unknown; not tried: it cannot be written now' said || fail "$(cat said)"
: > file
expect_status 2 nsplit --estimate file
grep -q '^nsplit: file: ' err || fail "$(cat err)"

# --- limits, in the order of the capture ------------------------------------------------------

# limited TEXT ARGUMENT...: the line after the advice
limited() {
	limit_text=$1
	shift
	estimate 0 -c -j2 "$@"
	tail -n 1 said > line
	echo "$limit_text" > want
	same line want
}

limited "the limit of 10.0 MiB is reached within the kernel pages: about 66 % of them are kept; all of them take 15.1 MiB" \
	--size-limit=10M
limited "the limit of 30.0 MiB is reached within the anonymous pages: about 43 % of them are kept" --size-limit=30M null:
grep -qx 'crashkernel=256M, -j2, -d 0: 30.0 MiB in about T; whether it fits is unknown' said || fail "$(cat said)"
limited "no limit is reached" --size-limit=310M
limited "no limit is reached" -d 31 --size-limit=40M
limited "whether the limit of 5.0 GiB of free space is reached is unknown, as the space of an output is" --keep-free=5G null:
limited "whether the limit of 10 min is reached is unknown, as the rate of an output is" --time-limit=10m '|cat'
limited "no limit is reached" --time-limit=10m null:
# More than there is, since others write to the disk, too.
expect_status 1 nsplit --estimate -c -j2 --keep-free=1024P disk/core
grep -q '^the limit of 1.0 EiB of free space is reached within the kernel pages: about 0 %' out || fail "$(cat out)"
grep -q '; it does not fit: disk has only 0 B more than is kept free$' out || fail "$(cat out)"
expect_status 0 nsplit --estimate --json -c --size-limit=70M
python3 -c '
import json
said = json.load(open("out"))
limit = said["limit"]
assert (limit["name"], limit["classes"], round(limit["kept"], 2)) == ("size", ["clean"], 0.49), said
assert said["bytes"] == 70 << 20 and said["limits"].startswith("the limit of 70.0 MiB is reached"), said
' || fail "$(cat out)"

# --- what cannot be read --------------------------------------------------------------------

# As all users but root see it: the memory of the capture kernel is unknown, too.
echo '00000000-00000000 : System RAM' > root/proc/iomem
rm root/sys/kernel/kexec_crash_size
estimate 0 -r -j1
grep -qx "memory: 768.0 MiB in 196608 pages; by /proc/meminfo, because $PWD/root/proc/iomem does not say where the memory is" \
	said || fail "$(cat said)"
grep -qx 'memory of the capture: M for 1 thread; what is reserved is unknown' said || fail "$(cat said)"
grep -q '^crashkernel=192M, -j1, -d 0: ' said || fail "$(cat said)"
echo 0 > root/sys/kernel/kexec_crash_size
estimate 0 -r -j1
expect_err "nsplit: no memory is reserved for a capture kernel, although crashkernel= is on the kernel's command line; 'dmesg' may say why"
grep -qx 'memory of the capture: M for 1 thread; no memory is reserved for a capture kernel' said || fail "$(cat said)"
grep -q '^crashkernel=192M, -j1, -d 0: ' said || fail "$(cat said)"

rm root/proc/meminfo
expect_status 1 nsplit --estimate
expect_err "nsplit: $PWD/root/proc/meminfo: No such file or directory"
expect_out ''

# --- a machine whose memory can be read ---------------------------------------------------------

echo '00000000-01ffffff : System RAM' > root/proc/iomem
cp kinds root/proc/kcore
estimate 0 -c -d 31 -j2
sed -n '1,/^-d /p' said | sed 's/on [0-9.]* MiB of/on S of/' > got
cat > want << END
memory: 32.0 MiB in 8192 pages
packed size: measured on S of pages from /proc/kcore

class                   memory  left out by
kernel                22.4 MiB  no level
map                  512.0 KiB  no level
private               40.0 KiB  private (4)
cache (clean)        600.0 KiB  cache (2)
user (anonymous)       2.4 MiB  user (8)
user (hugetlb)         2.0 MiB  user (8)
free                   4.0 MiB  free (16)
offline               16.0 KiB  every level
poisoned               4.0 KiB  every level

-d           lzo          raw          lz4       zstd:1  leaves out
END
same got want
expect_status 0 nsplit --estimate --json -c -d 31
python3 -c '
import json
said = json.load(open("out"))
pages = {c["name"]: c for c in said["classes"]}
assert list(said) == ["schema", "version", "advice", "dump_level", "codec", "threads", "bytes", "error_bytes", "seconds",
    "seconds_at_least", "page_size", "pages", "pages_looked_at", "pages_from", "ratio_from",
    "sample_bytes", "classes", "sizes", "memory", "outputs", "own"], list(said)
assert said["pages"] == said["pages_looked_at"] == 8192
assert pages["private"]["pages"] == 10 and pages["private"]["error_pages"] == 0, pages
assert said["pages_from"] == said["ratio_from"] == "/proc/kcore"
assert said["codec"] == "lzo" and said["dump_level"] == 31 and pages["kernel"]["kept"] and not pages["anonymous"]["kept"]
assert said["outputs"] == []
assert {(s["dump_level"], s["codec"]) for s in said["sizes"]} == {
    (level, codec) for level in (0, 16, 24, 31) for codec in ("lzo", "raw", "lz4", "zstd:1")}
assert said["own"]["peak_memory"] <= 32 << 20, said["own"]
' || fail "$(cat out)"

# --- the last line --------------------------------------------------------------------------------

# Less memory is reserved than the capture needs, and more of it than a disk holds; it takes hours.
echo '00000000-3fffffffffff : System RAM' > root/proc/iomem
rm root/proc/kcore
echo 'MemTotal: 68719476736 kB' > root/proc/meminfo
echo 67108864 > root/sys/kernel/kexec_crash_size
expect_status 1 nsplit --estimate -r -j2 disk/core
grep -qxE 'crashkernel=[0-9]+[MG] \(now 64M\), -j2, -d 0: 64[.0-9]* TiB in (about|at least) [0-9.]+ h; it does not fit: disk has only [0-9.]+ [KMGT]iB' \
	out || fail "$(cat out)"
expect_status 1 nsplit --estimate -r -j2 /proc/vmcore disk/core disk/other
grep -q '; it does not fit: the outputs have only ' out || fail "$(cat out)"

# --- the command line -------------------------------------------------------------------------

expect_usage nsplit '--json requires --check-params or --estimate' --json core out
expect_usage nsplit '--estimate cannot be combined with --dry-run' --estimate -n
expect_usage nsplit '--estimate cannot be combined with --check-params' --estimate --check-params
