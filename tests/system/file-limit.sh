#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A limit on the size of files is treated as a full output and does not end nsplit.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

need python3
mkfakevmcore -s 2M -p random core

# limited COMMAND...: with files of 500 KB at most, and the default action for SIGXFSZ
limited() {
	python3 -c '
import os, resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (500000, 500000))
os.execvp(sys.argv[1], sys.argv[1:])' "$@"
}

advice="free some space, add outputs, or use --fallback"
full="File too large; SOME kept"
for engine in --serial -j4; do
	rm -f a b
	expect_status 3 limited nsplit -q $engine --chunksize=64K core a
	expect_warnings "nsplit: a: $full, no output is left; $advice" "nsplit: saved: PAGES; no output has space left"
	expect_incomplete core a
	rm -f a
	expect_status 3 limited nsplit -q $engine --chunksize=64K core a b
	sed "s/continuing on 1 output/no output is left; $advice/" err > err.same
	mv err.same err
	expect_warnings "nsplit: a: $full, no output is left; $advice" "nsplit: b: $full, no output is left; $advice" \
		"nsplit: saved: PAGES; no output has space left"
	expect_incomplete core a b

	# A pipe has no such limit.
	rm -f a
	{ limited nsplit -q $engine --stripe --chunksize=64K core a - 2> err || echo $? > status; } |
		cat > piped
	[ ! -e status ] || fail "$engine: status $(cat status)"
	expect_warnings "nsplit: a: $full, continuing on 1 output"
	closed a piped
	expect_joined core a piped
done

# Nor has a device.
[ "$(id -u)" -eq 0 ] || exit 0
truncate -s 4M disk
make_loop disk
rm -f a
expect_status 0 limited nsplit -q --overwrite-dumps --stripe --chunksize=64K core a "$loop"
expect_warnings "nsplit: a: $full, continuing on 1 output"
expect_joined core a "$loop"
