#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The models of pools of compressed pages (tests/kernel/host/pools.awk), with results worked out by hand.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# check POOL OBJECTS PAGES SIZE[xCOUNT]...: the pool accepts OBJECTS of these and takes PAGES
check() {
	pool=$1
	want="$2 $(($3 * 4096))"
	shift 3
	got=$(for size; do
		case $size in
		*x*) yes "${size%x*}" | head -n "${size#*x}" ;;
		*) echo "$size" ;;
		esac
	done | awk -v pool="$pool" -f "$srcdir/tests/kernel/host/pools.awk")
	[ "$got" = "$want" ] || fail "$pool with $*: '$got' and not '$want'"
}

# One full block of each size, with the largest and the smallest objects.
check ztree 175 75 256x16 368x11 512x8 744x11 1024x8 1168x14 1360x12 1632x10 1816x9 2048x8 \
	2336x14 2520x13 2728x12 2976x11 3272x10 4096x8
check ztree 175 75 1x16 257x11 369x8 513x11 745x8 1025x14 1169x12 1361x10 1633x9 1817x8 \
	2049x14 2337x13 2521x12 2729x11 2977x10 3273x8
# Another object needs another block.
check ztree 17 2 256x17
check ztree 15 16 2049x15
check ztree 0 0 4097
# Objects of different sizes do not share a block.
check ztree 3 4 1 257 513

# 63 chunks of 64 bytes are for objects.
check zbud 2 1 2048 1984
check zbud 2 2 2048x2
check zbud 1 1 3968 3969
# The object of 1000 bytes leaves the larger space to that of 1900.
check zbud 4 2 3000 2000 1000 1900
check zbud 3 2 1x3

# With its handle of 8 bytes, an object of 24 takes 32, and one of 25 takes 48, of which three pages
# hold 256.
check zsmalloc 128 1 24x128
check zsmalloc 129 2 24x129
check zsmalloc 257 4 24 25x256
# Slots of 2016 to 2048 bytes share blocks of one page.
check zsmalloc 3 2 2001 2040x2
# Three of up to 2720 bytes in two pages.
check zsmalloc 4 4 2712x4
# Five of up to 3264 bytes in four pages.
check zsmalloc 5 4 3256x5
check zsmalloc 2 2 4096 4000 4097
check zsmalloc 0 0

! echo 1 | awk -v pool=zsmall -f "$srcdir/tests/kernel/host/pools.awk" > said ||
	fail "an unknown pool: $(cat said)"
