#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What nsplit-mount shows is identical with the source: all of it and parts of it, for several
# readers at once, from several mounts, with a minimal cache.
# shellcheck source=tests/cli/mount-lib.sh
. "${srcdir:?}/tests/cli/mount-lib.sh"
need_fuse
need python3

mkfakevmcore --size=24M --pattern=mixed core
SOURCE_DATE_EPOCH=1000000000 nsplit -q -c --chunksize=256K core a b c
mkdir mnt mnt1 mnt2

# parts FILE SEED: random parts of the file are those of the core
parts() {
	python3 - "$@" << 'END'
import os, random, sys
random.seed(int(sys.argv[2]))
shown, core = os.open(sys.argv[1], os.O_RDONLY), os.open('core', os.O_RDONLY)
size = os.stat('core').st_size
for i in range(600):
    offset = random.randrange(size) // (1, 4096)[i % 2] * (1, 4096)[i % 2]
    length = random.choice((1, 4096, 100000, 1000000)) if i % 20 == 0 else 4096
    if i % 100 == 0:
        os.posix_fadvise(shown, 0, 0, os.POSIX_FADV_DONTNEED)
    if os.pread(shown, length, offset) != os.pread(core, length, offset):
        sys.exit(f'{sys.argv[1]}: {length} bytes at {offset} differ')
if os.pread(shown, 10, size) != b'' or os.pread(shown, 10, size - 3) != os.pread(core, 10, size - 3):
    sys.exit(f'{sys.argv[1]}: ends elsewhere')
END
}

expect_status 0 nsplit-mount c a b mnt
expect_err ""
expect_out ""
[ "$(ls -A mnt)" = "vmcore
vmcore.kdump" ] || fail "shown is: $(ls -A mnt)"
[ "$(stat -c '%s %a %u %Y' mnt/vmcore)" = "$(stat -c %s core) 400 $(id -u) 1000000000" ] ||
	fail "vmcore is: $(stat -c '%s %a %u %Y' mnt/vmcore)"
[ "$(stat -c '%a %u %Y' mnt)" = "500 $(id -u) 1000000000" ] ||
	fail "the directory is: $(stat -c '%a %u %Y' mnt)"
same mnt/vmcore core
parts mnt/vmcore 1
if (: > mnt/vmcore) 2> refused || (: > mnt/new) 2> refused || rm -f mnt/vmcore 2> refused; then
	fail "something could be written"
fi
absent mnt/new mnt/vmcore.x

# The same set mounted three times at once, and each mount read by several processes.
expect_status 0 nsplit-mount -q --cache=1M -j1 a b c mnt1
expect_status 0 nsplit-mount -v --cache=0 -j8 'a' b c mnt2
said=$(cat err)
expect_status 0 njoin --info a b c
# "1 record", if a thread of an output had no turn.
sed -n 's/.* \([0-9]* records\{0,1\}\)$/\1/p' out > records
[ "$(wc -l < records)" -eq 3 ] || fail "njoin --info: $(cat out)"
printf '%s\n' "$said" > err
expect_err "nsplit-mount: a: member 0 of 3, $(sed -n 1p records)
nsplit-mount: b: member 1 of 3, $(sed -n 2p records)
nsplit-mount: c: member 2 of 3, $(sed -n 3p records)"
pids=
for seed in 2 3 4; do
	for at in mnt mnt1 mnt2; do
		parts $at/vmcore $seed &
		pids="$pids $!"
	done
done
for at in mnt1 mnt2; do
	cmp $at/vmcore core &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || fail "a reader among others: status $?"
done

# Unmounting one does not affect the others.
unmount mnt1
[ -z "$(ls -A mnt1)" ] || fail "something is left: $(ls -A mnt1)"
parts mnt2/vmcore 5
unmount mnt2
parts mnt/vmcore 6
unmount mnt

# Every codec, and block sizes other than a page.
for codec in raw lz4 zstd snappy zlib; do
	have_codec $codec || continue
	nsplit -q --overwrite-dumps -C $codec -b 64K core a b
	expect_status 0 nsplit-mount a b mnt
	same mnt/vmcore core
	parts mnt/vmcore 7
	unmount mnt
done

# A source that is not a core is shown too, without vmcore.kdump.
head -c 100000 core | tail -c 60000 > plain
nsplit -q plain p
expect_status 0 nsplit-mount p mnt
grep -q '^nsplit-mount: vmcore\.kdump is not available: unsupported source: not an ELF file' err || fail "$(cat err)"
[ "$(wc -l < err)" -eq 1 ] || fail "$(cat err)"
[ "$(ls -A mnt)" = vmcore ] || fail "shown is: $(ls -A mnt)"
same mnt/vmcore plain
unmount mnt
expect_status 0 nsplit-mount -q p mnt
expect_err ""
unmount mnt

# An empty source is an empty file.
: > empty
nsplit -q empty e
expect_status 0 nsplit-mount -q e mnt
same mnt/vmcore empty
