#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --drill captures made-up data to the outputs, verifies it, removes it, and overwrites nothing.
# shellcheck source=tests/cli/drill-lib.sh
. "${srcdir:?}/tests/cli/drill-lib.sh"

# only NAME...: the directory here has these files and no others
mkdir here
cd here
only() {
	printf '%s\n' "$@" err out | grep . | sort > ../want
	ls | sed '/^lib\./d' > ../got
	same ../want ../got
}

drill 0 $size -c /proc/vmcore a
expect_err "$(began '8.0 MiB')
$(ended '8.0 MiB')"
only ''
drill 0 -q $size -c -j2 /proc/vmcore a '{b..c}-{now}'
expect_err ''
only ''
# Options of the configuration, and its output.
printf 'compress = zstd:3\nthreads = 2\noutput = a\nstats = s\nforce = yes\n' > ../conf
# No kdump of this machine.
mkdir ../nowhere
NSPLIT_ROOT=$PWD/../nowhere NSPLIT_CONFIG=$PWD/../conf drill 0 $size
expect_err "$(began '8.0 MiB')
$(ended '8.0 MiB')"
only ''
told_level='nsplit: drill: which pages are left out is not tried, since made-up data has no memory map; its size stands for what is kept'
# What is valuable of the made-up data is unknown, too, which says nothing about a crash.
drill 0 $size --keep-free=1 -c /proc/vmcore a
expect_err "$(began '8.0 MiB')
$(ended '8.0 MiB')"
# A core that is there.
mkfakevmcore -s 3000000 ../core
drill 0 -c --stats=../stats ../core a
expect_err "nsplit: drill: source: ../core; memory: 60.0 MiB; CPUs: N
$(ended '2.9 MiB')"
only ''
absent ../stats
drill 0 -c - a < ../core
expect_err "nsplit: drill: source: -; memory: 60.0 MiB; CPUs: N
$(ended '2.9 MiB')"
only ''
# What is found damaged is removed as well, and so is what there is no njoin for.
mkdir ../alone
cp "$(command -v nsplit)" ../alone
printf '#!/bin/sh\necho "njoin: bad" >&2\nexit 1\n' > ../alone/njoin
chmod +x ../alone/njoin
PATH=$PWD/../alone:$PATH drill 1 -q -c ../core a
expect_err 'njoin: bad
nsplit: drill failed: 2.9 MiB in N; N written; MEMORY; damaged; removed'
only ''
rm ../alone/njoin
if [ ! -e /usr/bin/njoin ]; then
	PATH=$PWD/../alone:/usr/bin:/bin drill 1 -q -c ../core a
	expect_err 'nsplit: drill failed: 2.9 MiB in N; N written; MEMORY; not verified, since njoin is not installed; removed'
	only ''
fi
# A message about the options comes once.
drill 0 -q $size -c --format=elf /proc/vmcore a
sed -i 's/codec [a-z0-9]* /codec SOME /' err
expect_err 'nsplit: --format=elf: the form is not compressed; the codec SOME is not used'
# The size of a dump of the machine, here of a made-up one.
if [ ! -e /proc/fakevmcore ]; then
	mkdir -p ../root/proc
	echo '00000000-09ffffff : System RAM' > ../root/proc/iomem
	printf '%s: %d kB\n' MemTotal 163840 MemFree 65536 Cached 32768 AnonPages 32768 > ../root/proc/meminfo
	NSPLIT_ROOT=$PWD/../root drill 0 -d31 /proc/vmcore null:
	expect_err "$told_level
$(began '32.0 MiB')
nsplit: drill: 32.0 MiB in N; N written; MEMORY; nothing was stored"
fi
# Memory that is too small, which is tried even so; the kernel may kill that.
expect_status 1 nsplit --drill --drill-memory=6M --progress=never -q $size -c /proc/vmcore a
grep -q -e '^nsplit: drill failed: .*; the memory is too small for a capture; verified and removed$' \
	-e ': the kernel killed the capture, because ' err || fail "$(cat err)"
: > err
only ''

# Nothing that exists is touched, even with -f.
echo precious > a
drill 2 $size -f -c /proc/vmcore a b
expect_err 'nsplit: drill: a: already exists, and a drill overwrites no file; remove it or name another one, such as one with {now}'
only a
drill 2 $size -f -c --fallback=a /proc/vmcore b
expect_err 'nsplit: drill: a: already exists, and a drill overwrites no file; remove it or name another one, such as one with {now}'
[ "$(cat a)" = precious ] || fail 'it was overwritten'
rm a
# Nor what an earlier drill has left, or somebody else has put there.
echo precious > a.drill
drill 2 $size -f -c /proc/vmcore a b
expect_err 'nsplit: drill: a.drill: already exists, and a drill overwrites no file; remove it or name another one, such as one with {now}'
[ "$(cat a.drill)" = precious ] || fail 'it was overwritten'
mv a.drill a
ln -s nowhere link
drill 2 $size -f -c /proc/vmcore link
expect_err "$(began '8.0 MiB')
nsplit: link: is a dangling symbolic link
nsplit: drill failed: nothing was captured: link: is a dangling symbolic link"
only a link
rm a link

# An output that fails; all of them.
drill 1 $size -c /proc/vmcore a nowhere/b
expect_err "$(began '8.0 MiB')
nsplit: nowhere/b.drill: the directory nowhere does not exist; given up, continuing on 1 output
nsplit: drill failed: 8.0 MiB in N; N written; MEMORY; 1 of 2 outputs failed: nowhere/b.drill: the directory nowhere does not exist; verified and removed"
only ''
drill 1 -q $size -c /proc/vmcore nowhere/b
expect_err "nsplit: nowhere/b.drill: the directory nowhere does not exist; given up, no output is left
nsplit: nothing was captured: every output failed
nsplit: drill failed: 0 B in N; N written; MEMORY; 1 of 1 output failed: nowhere/b.drill: the directory nowhere does not exist; removed"
# One that is skipped after a crash.
drill 1 -q $size -c --also=.. /proc/vmcore a
expect_err "nsplit: ..: is a directory; an output must be a file or a device; continuing without it
nsplit: drill failed: 8.0 MiB in N; N written; MEMORY; 1 of 2 outputs failed: ..: cannot be used; verified and removed"
only ''

# Far more than there is space for: nothing is written.  If it were, the limit would end that.
(ulimit -f 200000 && drill 1 -q --drill-size=2000T -c --fallback=b /proc/vmcore a)
sed -i 's/can use [^,]*,/can use SOME,/' err
expect_err 'nsplit: drill failed: a.drill: the drill may write 1000.0 TiB, and can use SOME, since it leaves 5 % of a file system free; free some space, add outputs, or use a smaller --drill-size'
only ''

# Forms: the pages of made-up data cannot be told apart.
drill 0 $size -c -d31 /proc/vmcore a
expect_err "$told_level
$(began '8.0 MiB')
$(ended '8.0 MiB')"
drill 0 -q $size -c -d31 --format=kdump --fallback=b /proc/vmcore a
expect_err ''
only ''
drill 0 $size --format=elf /proc/vmcore a
expect_err "$(began '8.0 MiB')
nsplit: drill: 8.0 MiB in N; N written; MEMORY; not verified, since an ELF core has no checksums; removed"
only ''

# Outputs that cannot be read again here.
drill 2 -q $size -c /proc/vmcore /dev/full
expect_err 'nsplit: drill: /dev/full: is a character device, and a drill cannot remove what it writes to it'
for name in /dev/null /dev/zero; do
	drill 0 -q $size -c /proc/vmcore $name
	expect_err ""
done
drill 0 $size -c /proc/vmcore null:
expect_err "$(began '8.0 MiB')
nsplit: drill: 8.0 MiB in N; N written; MEMORY; nothing was stored"
expect_status 0 nsplit --drill --drill-memory=60M --progress=never $size -c /proc/vmcore -
mv out ../member
: > out
drill_told
expect_err "$(began '8.0 MiB')
nsplit: drill: 8.0 MiB in N; N written; MEMORY; not verified, since not all of it can be read here"
expect_status 0 njoin -q --verify ../member
# shellcheck disable=SC2016 # for nsplit
drill 0 $size -c --filter='cat > "$FILE"' /proc/vmcore a b
expect_err "$(began '8.0 MiB')
nsplit: drill: 8.0 MiB in N; N written; MEMORY; not verified, since not all of it can be read here; removed"
only ''
# shellcheck disable=SC2016 # for nsplit
drill 1 -q $size -c --filter='cat > "$FILE"; exit 3' /proc/vmcore a
expect_err "nsplit: a.drill: exited with status 3; given up, no output is left
nsplit: nothing was captured: every output failed
nsplit: drill failed: 0 B in N; N written; MEMORY; 1 of 1 output failed: a.drill: exited with status 3; removed"
only ''

# The command line.
expect_usage nsplit "--drill 'x' is not one of: crash" --drill=x /proc/vmcore a
NSPLIT_ROOT=$PWD/../nowhere expect_usage nsplit 'no OUTPUT given' --drill
expect_usage nsplit 'no OUTPUT given' --drill /proc/vmcore
expect_usage nsplit '--drill cannot be combined with --dry-run' --drill -n /proc/vmcore a
expect_usage nsplit '--drill-size requires --drill' --drill-size=1M /proc/vmcore a
expect_usage nsplit '--drill-memory requires --drill' --drill-memory=1M /proc/vmcore a
only ''

# --drill=crash prints commands, of which the shell understands all, and does nothing.  Here is a machine without kdump;
# tests/cli/nsplit-drill-crash.sh has the others.
NSPLIT_ROOT=$PWD/../none
export NSPLIT_ROOT
expect_status 0 nsplit --drill=crash -c /proc/vmcore '/var/crash/a-{now}' "b'c" '|cat > d'
expect_err ''
head -n 1 out | grep -q '^# These commands crash this machine' || fail "$(cat out)"
grep -qx 'echo c > /proc/sysrq-trigger' out || fail "$(cat out)"
tail -n 1 out > ../last
printf '%s\n' "njoin --verify '/var/crash/a-'*'' 'b'\\''c'" > ../want
same ../last ../want
sh -n out || fail 'it is no shell script'
expect_status 0 nsplit --drill=crash
[ "$(tail -n 1 out)" = 'njoin --verify FILE...' ] || fail "$(cat out)"
# What njoin cannot verify.
# shellcheck disable=SC2016 # for nsplit
for option in --format=elf '--filter=gzip > "$FILE"'; do
	expect_status 0 nsplit --drill=crash "$option" /proc/vmcore name-of-output
	sh -n out || fail 'it is no shell script'
	! grep name-of-output out || fail "$option: $(cat out)"
done
unset NSPLIT_ROOT
: > out
only ''
