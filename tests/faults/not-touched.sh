#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Poisoned pages, and those that the hypervisor has taken away, are not read by a capture that leaves
# pages out: reading them may stop the machine, which here kills nsplit.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need_inject nsplit

make_core kinds
# Where the memory begins in the file: p_offset of the second program header.
memory=$(od -An -t u8 -j 128 -N 8 kinds | tr -d ' ')

# touching FRAME COUNT: a rule by which reading any of these pages is deadly
touching() {
	from=$((memory + $1 * 4096))
	echo "pread:kinds:@$from-$((from + $2 * 4096)):SIGKILL"
}

# As in made_kernel.h.
rules="$(touching 5500 4) $(touching 5600 1)"
for options in "-d 31" "-d 2 -c" "-d 16 --blocksize=64K" "--exclude=user --chunksize=64K" "-d 31 --mmap=always"; do
	for threads in -j1 -j4 --serial; do
		# shellcheck disable=SC2086	# several words
		expect_status 0 injected "$rules" nsplit -q --overwrite-dumps $threads $options kinds a b
		expect_err ""
		expect_status 0 njoin -q --verify a b
	done
done

# The rules work: a capture of everything reads these pages.
status=0
injected "$rules" nsplit -q --overwrite-dumps kinds a 2> err || status=$?
[ "$status" -ne 0 ] || fail "a full capture does not read them"
