#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a reader of a set with layers needs to know takes at most 16 MiB for a source of 1 TiB with 8 pages of
# the kernel scattered in every MiB, on any number of threads.
#	CHECK_MEMORY_GIB=1024 srcdir=.. sh ../tests/system/layers-memory.sh
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

if ldd "$builddir/njoin" 2> ldd.err | grep -q 'lib[a-z]*san\.so'; then
	skip "sanitizers take memory, too"
fi

gib=${CHECK_MEMORY_GIB:-64}
# Threads take a part that does not depend on the size.
limit=$((2048 + 14 * gib))
"$builddir/bench/scatter" machine "${gib}G" m0 > made 2>&1 || fail "scatter: $(cat made)"

# peak COMMAND...: prints its peak memory in KiB
peak() {
	"$builddir/tests/system/peak_memory" kib "$@" > out 2> err || fail "$*: $(cat out err)"
	cat kib
}

base=$(peak njoin --version)
for threads in 1 2 64; do
	all=$(peak njoin -q -j$threads --info m0)
	grep -q '^captured: free: .* left out' out || fail "--info says: $(cat out)"
	used=$((all - base))
	echo "$gib GiB, $threads threads: $used KiB"
	[ $used -le $limit ] || fail "njoin --info -j$threads takes $used KiB, more than $limit"
done
