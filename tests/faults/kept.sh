#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members that cannot be closed are kept if they contain a record, which njoin --salvage reads; also
# if the output stays full, even for overwriting.  Dumps are kept, and the status is 3, if readers find a page in them.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject nsplit

mkfakevmcore -s 1M -p random core

# failing STATUS RULE OUTPUT...
failing() {
	failing_status=$1 failing_rule=$2
	shift 2
	rm -f log m0 m1 copy
	expect_status "$failing_status" injected "$failing_rule" nsplit -q -r --serial --chunksize=64K core "$@"
	[ -s log ] || fail "nothing failed"
}

for rule in fsync:m0:1-:EIO fsync:m0:2-:EIO; do
	failing 3 $rule m0
	grep -q 'm0: .*; given up, no output is left' err || fail "$rule: $(cat err)"
	tail -n 1 err > last
	echo 'nsplit: no output could be closed; 1 of them holds records that njoin --salvage can read' |
		cmp -s - last || fail "$rule: $(cat err)"
	# What the first fsync has lost, if that failed, is missing, and no more.
	case $rule in
	*:1-:*)
		expect_status 3 njoin -q --salvage -o copy m0
		grep -q '^njoin: missing: bytes 524288 to 1048575 (512.0 KiB)$' err || fail "$rule: $(cat err)"
		;;
	*)
		expect_status 0 njoin -q --salvage -o copy m0
		same core copy
		;;
	esac
done

# The superblock, five records, and then no more.  Two of the records are removed, without effect.
failing 3 'pwrite:m0:7-:ENOSPC' m0
expect_err 'nsplit: m0: No space left on device; given up, no output is left
nsplit: no output could be closed; 1 of them holds records that njoin --salvage can read'
expect_status 3 njoin -q --salvage -o copy m0
grep -q '^njoin: missing: bytes 196608 to 1048575 (832.0 KiB)$' err || fail "salvage: $(cat err)"

# The dump is complete without it, so it is removed.
failing 0 'pwrite:m0:7-:ENOSPC' m0 m1
[ ! -e m0 ] || fail "m0 is still there"

# No record was written to it.
failing 1 'pwrite:m0:2-:EIO' m0
expect_err 'nsplit: m0: Input/output error; given up, no output is left
nsplit: nothing was captured: every output failed'
[ ! -e m0 ] || fail "m0 is still there"

# Two records so short that both would have to be removed to make space; nothing more can be written
# even so, and they stay.
rm core
mkfakevmcore -s 192K -p zero core
failing 3 'pwrite:m0:4-:ENOSPC' m0
tail -n 1 err > last
echo 'nsplit: no output could be closed; 1 of them holds records that njoin --salvage can read' |
	cmp -s - last || fail "$(cat err)"
expect_status 3 njoin -q --salvage -o copy m0
grep -q '^njoin: missing: bytes 131072 to 196607 (64.0 KiB)$' err || fail "salvage: $(cat err)"

# --- dumps -------------------------------------------------------------------

make_core kinds
have_codec zlib || skip "this build has no zlib"
nsplit -q -C zlib -d 0 --format=kdump kinds all
"$builddir/tests/faults/dump_pages" all | sed 1d | sort > pages
total=$(wc -l < pages)
# The page of zeros comes behind headers, bitmaps and descriptors.
blocks=$(od -An -tu4 -j432 -N8 all | awk '{ print 1 + $1 + $2 }')
zeros=$(((blocks * 4096 + total * 24 + 4095) / 4096 * 4096))
# The same for arm64: hosts may have pages of 64 KiB, so there are units of zeros between the headers and the bitmaps.
cp kinds arm64
printf '\267' | dd of=arm64 bs=1 seek=18 conv=notrunc 2> dd-err

# Each sync loses a half of the file, and the last one ends within a descriptor: no reader may take what is left of it.
mkfakevmcore -s 9M -p zero zeros
injected fsync:d:1-:EIO nsplit -q --serial -C zlib -d 0 --format=kdump zeros d && fail 'status 0'
"$builddir/tests/faults/dump_pages" d > found
grep -q ' absent$' found || fail 'no page is absent'
grep ' wrong' found && fail 'a descriptor is divided'

# count FILE: sets right to the number of pages of the dump that are as they should be; no page is another one
count() {
	: > found
	[ ! -e "$1" ] || "$builddir/tests/faults/dump_pages" "$1" > found || :
	sed -i '1d; / none$/d; / absent$/d' found
	sort found | comm -12 - pages > same
	right=$(wc -l < same)
	[ "$right" -eq "$(wc -l < found)" ] || fail "$rule: there are wrong pages: $(sort found | comm -23 - pages | head -n 3)"
}

# dump LEAST STATUS: with the rule, the dump has at least this number of pages, and nsplit ends with this status
dump() {
	rm -f log d
	expect_status "$2" injected $rule nsplit -q $engine -C zlib -d 0 --format=kdump --chunksize=256K kinds d
	[ -s log ] || fail "$rule: nothing failed"
	count d
	[ "$right" -ge "$1" ] || fail "$rule: there are only $right pages"
	[ "$2" -ne 1 ] || [ "$right" -eq 0 ] || fail "$rule: status 1, and there are $right pages"
	case $2 in
	1) last='nothing was captured: every output failed' ;;
	3) last='no output could be closed; what is in the dump can be read as it is' ;;
	esac
	[ "$(tail -n 1 err)" = "nsplit: $last" ] || fail "$rule: $(cat err)"
}

for engine in -j1 --serial; do
	# The first sync is that of all data, of which EIO loses a half: the other one is found.  The others are of descriptors.
	for rule in fsync:d:1:EIO fsync:d:1-:EIO; do
		dump $((total / 3)) 3
	done
	rule=fsync:d:1:EDQUOT
	dump "$total" 3
	rule=fsync:d:1-:ENOSPC
	dump $((total * 9 / 10)) 3
	for rule in fsync:d:2:EIO fsync:d:3:ENOMEM fsync:d:4:ENOSPC fsync:d:5:EIO; do
		dump "$total" 3
	done
	rule=fsync:d:2-:EIO
	dump $((total * 9 / 10)) 3
	# A write of data fails, and what came before is described.
	for rule in pwrite:d:30:EIO pwrite:d:30-35:ENOMEM; do
		dump 300 3
	done
	# No descriptor can be written, or only those behind some.
	rule=pwrite:d:30-:ENOSPC
	dump 0 1
	rule='pwrite:d:30-32:ENOSPC'
	dump 300 3
	# A unit of the headers, or the page of zeros, which are zeros of a file anyway.  Headers that have bytes: nothing.
	for rule in pwrite:arm64.d:@20000-21000:EIO pwrite:kinds.d:@"$zeros"-$((zeros + 1)):EIO; do
		of=${rule#*:} of=${of%%.*}
		rm -f log ./*.d
		expect_status 0 injected $rule nsplit -q $engine -C zlib -d 0 --format=kdump $of $of.d
		[ "$(grep -c "^pwrite $of.d EIO" log)" -ge 2 ] || fail "$rule: $(cat log)"
		count $of.d
		[ "$right" -eq "$total" ] || fail "$rule: there are only $right pages"
	done
	rule=pwrite:d:@4096-4097:EIO
	dump 0 1
	# A stream: njoin makes a dump of what has descriptors.
	rule=write:d:4:EIO
	rm -f log d
	injected $rule nsplit -q $engine -C zlib -d 0 --format=kdump kinds - > d 2> err && fail "$rule: status 0"
	[ "$(tail -n 1 err)" = 'nsplit: the dump is cut off; njoin makes a dump of what was sent' ] || fail "$rule: $(cat err)"
	expect_status 3 njoin -q --overwrite-dumps --format=kdump --compress=zlib -o joined d
	count joined
	[ "$right" -gt 300 ] || fail "$rule: there are only $right pages"
	# All of it is sent in one piece, when the dump is closed, and then a call fails.
	rule=close:d:2:EIO
	rm -f d
	expect_status 3 injected $rule sh -c 'nsplit "$@" > d' sh -q $engine -C zlib -d 0 --format=kdump kinds -
	[ "$(tail -n 1 err)" = 'nsplit: the dump is cut off; njoin makes a dump of what was sent' ] || fail "$rule: $(cat err)"
	rule=write:d:2:EIO
	expect_status 1 injected $rule sh -c 'nsplit "$@" > d' sh -q $engine -C zlib -d 0 --format=kdump kinds -
	expect_err 'nsplit: standard output: Input/output error; given up, no output is left
nsplit: nothing was captured: every output failed'
done
