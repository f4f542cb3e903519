#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mkfakevmcore writes exactly the requested size and the same bytes each time, and --check
# detects any difference.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# Sizes, to a pipe and to a file, and --check of both.
for size in 8193 8194 12287 12288 655359 655360 655361 1048575 1048576 1048577 3M; do
	bytes=${size%M}
	[ "$bytes" = "$size" ] || bytes=$((bytes * 1048576))
	expect_status 0 mkfakevmcore --overwrite-dumps --size="$size" core
	[ "$(wc -c < core)" -eq "$bytes" ] || fail "--size=$size gives $(wc -c < core)"
	[ -z "$(cat out err)" ] || fail "--size=$size is not silent"
	mkfakevmcore --size="$size" - > piped
	same core piped
	expect_status 0 mkfakevmcore --size="$size" --check core
	expect_status 0 mkfakevmcore --size="$size" --check - < core
done

# Each pattern is reproducible and differs from the others.
for pattern in random zero same text mixed; do
	mkfakevmcore -s 2M -p "$pattern" "$pattern"
	mkfakevmcore -s 2M -p "$pattern" - | cmp - "$pattern" || fail "$pattern varies"
	for earlier in core-*; do
		! cmp -s "$pattern" "$earlier" || fail "$pattern is $earlier"
	done
	mv "$pattern" "core-$pattern"
done

# Seed, compressible share, block size and pool change the contents; options in any spelling.
mkfakevmcore -s 2M -p random -S 7 -C 40 -b 64K -P 1M short
mkfakevmcore --size=2MiB --pattern=random --seed=7 --compressible=40 \
	--block-size=65536 --pool=1024K long
same short long
for other in '-S 8 -C 40 -b 64K -P 1M' '-S 7 -C 41 -b 64K -P 1M' \
	'-S 7 -C 40 -b 4K -P 1M' '-S 7 -C 40 -b 64K -P 512K'; do
	# shellcheck disable=SC2086 # a list of options
	expect_status 1 mkfakevmcore -s 2M -p random $other --check short
done

# A larger file begins with the same bytes as a smaller one, except for the headers.
mkfakevmcore -s 5000000 large
tail -c +8193 core > core.tail
tail -c +8193 large | head -c "$(wc -c < core.tail)" | cmp - core.tail ||
	fail "a larger core has other memory"

# Only the owner can read the files.
umask 0
mkfakevmcore -s 8193 private
[ "$(stat -c %a private)" = 600 ] || fail "mode $(stat -c %a private)"
