#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --format=kdump to an output that fills up: what is in the dump is right, and the rest is absent from it; a
# fallback takes the whole.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

make_core kinds
have_codec zlib || skip "this build has no zlib"
nsplit -q -d 16 kinds member
expect_status 0 njoin -q --format=kdump --compress=zlib -o want member

need_limits

# ends STATUS BYTES ARGUMENT...: with this limit on the size of files, nsplit ends with STATUS
ends() {
	want=$1 limit=$2
	shift 2
	status=0
	limited "$limit" nsplit "$@" 2> err || status=$?
	[ $status -eq "$want" ] || fail "$limit bytes, $*: status $status: $(cat err)"
}

# pages FILE ABSENT: FILE has the pages of the file want, but for ABSENT of them
pages() {
	python3 -B "$srcdir/tests/cli/kdump-pages.py" "$1" want "$2" > told 2>&1 || fail "$1: $(cat told)"
}

for engine in -j1 -j4 --serial; do
	for bytes in 4000000 20000000 26000000; do
		ends 3 $bytes -q $engine -d 16 --format=kdump kinds new
		sed 's/; [0-9.]* MiB kept/; SIZE kept/; s/: [0-9.]* MiB in total; complete layers: [0-9]/: SIZE/
			s/saved: .*;/saved: PAGES;/' err > told
		cat > expected << 'TEXT'
nsplit: new: File too large; SIZE kept, no output is left; free some space, or use --fallback
nsplit: saved: PAGES; no output has space left
nsplit: missing: SIZE; njoin --verify lists the pages
TEXT
		same told expected
		pages new some
		# Each page of the file is described, but for those of the chunk that failed.
		read -r count absent < told
		[ $(((count - absent) * 4096)) -gt $(($(wc -c < new) - 1500000)) ] ||
			fail "$bytes bytes: $absent of $count pages are absent"
		rm new
	done

	# There is no space for the headers.
	ends 1 60000 -q $engine -d 16 --format=kdump kinds new
	expect_err "nsplit: new: File too large; given up, no output is left
nsplit: nothing was captured: every output failed"
	absent new

	# A pipe has no such limit.
	ends 0 4000000 -q $engine -C zlib -d 16 --format=kdump --fallback=- kinds new
	expect_err ""
	pages new 0
	rm new
	for fallback in - '|cat'; do
		in_pipe ends 0 500000 -q $engine -C zlib -d 16 --format=kdump --fallback="$fallback" kinds new | cat > piped
		pipes_ended_well
		grep -v '^nsplit: warning: |cat: writes its member to standard output, ' err > told || :
		mv told err
		[ "$fallback" != - ] || fallback="standard output"
		expect_err "nsplit: new: File too large; given up, continuing on the fallback $fallback"
		absent new
		pages piped 0
	done
done

# Other outputs that fail, and a fallback that is a file.
for engine in -j2 --serial; do
	for output in /dev/full nowhere/a '|exit 1' '|head -c 100000 > part'; do
		[ -c /dev/full ] || [ "$output" != /dev/full ] || continue
		expect_status 0 nsplit -q $engine -C zlib -d 16 --format=kdump --fallback=new kinds "$output"
		[ "$(wc -l < err)" -eq 1 ] || fail "$output: $(cat err)"
		grep -q "given up, continuing on the fallback new$" err || fail "$output: $(cat err)"
		pages new 0
		expect_status 1 nsplit -q $engine -C zlib -d 16 --format=kdump kinds "$output"
		rm new
	done
	# It is not needed.
	expect_status 0 nsplit -q $engine -C zlib -d 16 --format=kdump --fallback=other kinds new
	expect_err ""
	absent other
	pages new 0
	rm new
done

# What is full stays usable until the fallback has taken all of it.
for engine in -j2 --serial; do
	ends 3 20000000 -q $engine -d 16 --format=kdump --fallback=nowhere/b kinds new
	grep -qx "nsplit: no output could be closed; what is in the dump can be read as it is" err || fail "$(cat err)"
	# What was not described has no descriptor yet.
	expect_status 3 njoin -q --overwrite-dumps --format=elf -o part new
	[ "$(python3 -c 'd = open("part", "rb").read(); print(sum(any(d[i:i + 4096]) for i in range(0, len(d), 4096)))')" \
		-gt 3000 ] || fail "there are few pages"
	rm new part
done
