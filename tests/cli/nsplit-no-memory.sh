#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# With any amount of memory, nsplit either captures everything, perhaps with fewer threads or
# buffers than desired, which it reports; or it reports at the start what it could not allocate,
# removes new outputs and leaves existing ones unchanged.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need prlimit
mkfakevmcore -s 1000000 -p mixed core
prlimit --as=1000000000 nsplit --version > version 2> err ||
	skip "it does not run in 1 GB of address space"

# The memory that the loader and the libraries need.
least=4
until prlimit --as=$((least << 20)) nsplit --version > version 2> err; do
	least=$((least + 1))
done

# with MEBIBYTES OPTION...: captures with this address space, and sets captured
with() {
	limit=$(($1 << 20))
	shift
	status=0
	echo old > m0
	prlimit --as=$limit nsplit -q --overwrite-dumps "$@" core m0 m1 2> all || status=$?
	grep -v ' is available (.*); [ut]\|^nsplit: threads: .*; continuing with ' all > err || :
	[ $(($(wc -l < all) - $(wc -l < err))) -le 2 ] || fail "$limit bytes, $*: $(cat all)"
	if [ "$status" -eq 0 ]; then
		[ ! -s all ] || gave_way=yes
		expect_err ""
		expect_status 0 njoin -q -o copy m0 m1
		same copy core
		rm -f m0 m1 copy
		captured=yes
		return
	fi
	[ "$status" -eq 1 ] || fail "$limit bytes, $*: status $status: $(cat err)"
	grep -q '^nsplit: .*: Cannot allocate memory$\|^nsplit: only .* of .* threads could be created: ' err ||
		fail "$limit bytes, $*: $(cat err)"
	[ "$(wc -l < err)" -eq 1 ] || fail "$limit bytes, $*: more than one line: $(cat err)"
	[ "$(cat m0)" = old ] || fail "$limit bytes, $*: m0 was touched"
	absent m1
}

# try OPTION...: with limits from almost nothing to enough
try() {
	captured=no gave_way=no
	mebibytes=$least
	while [ $captured = no ]; do
		with $mebibytes "$@"
		mebibytes=$((mebibytes + 1))
		[ $mebibytes -lt 1000 ] || fail "$*: 1000 MiB are not enough"
	done
	[ $mebibytes -gt $((least + 1)) ] || [ $gave_way = yes ] ||
		fail "$*: $least MiB were enough: no limit was tried"
}

list_codecs
while read -r codec; do
	try -j8 -C "$codec" --chunksize=512K
	[ $gave_way = yes ] || fail "$codec: no limit reduced anything"
	try --serial -C "$codec" -b 64K
done < codecs
