#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --format=kdump: what it refuses, with the exact messages and no file left, and the member that it writes of
# a source that is not a core.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

make_core kinds
make_core log

# usage TEXT ARGUMENT...: refused, and no file is created
usage() {
	text=$1
	shift
	expect_usage nsplit "$text" --format=kdump "$@"
	absent new other
	expect_usage nsplit "$text" --check-params --format=kdump "$@"
}

expect_usage nsplit "--format must be members, kdump or elf, not 'core'" --format=core kinds new
expect_usage nsplit "--format must be members, kdump or elf, not ''" --format= kinds new
several="--format=kdump writes one OUTPUT; for several disks omit it: njoin --format=kdump makes a dump of the members"
usage "$several" kinds new other
usage "$several" --also=other kinds new
usage "$several" kinds 'new{1..2}' --fallback=other
usage "$several" kinds - null:
usage "--stripe cannot be combined with --format=kdump" --stripe kinds new
codecs="use raw, zlib, lzo, lzohc, snappy or zstd"
usage "--format=kdump: the form does not know the codec auto; $codecs" -C auto kinds new
for codec in lz4 lz4hc:9; do
	if have_codec "${codec%:*}"; then
		usage "--format=kdump: the form does not know the codec $codec; $codecs" -C $codec kinds new
	fi
done
for key in "stripe = yes" "compress = auto" "output = other" "also = other"; do
	printf 'format = kdump\noutput = new\n%s\n' "$key" > conf
	expect_status 2 nsplit -q --config=conf kinds
	absent new other
done

# Sizes hold for the member that is written if the source is no core.
usage "--chunksize=12288 is not a multiple of the block size, 65536" --chunksize=12288 --blocksize=64K kinds new

# A stream cannot be read twice; the check of a setup says so, too.
stream="standard input: --format=kdump needs a source that can be read more than once, and this is a stream; \
omit it, or capture to a file first"
expect_status 2 nsplit --format=kdump - new < kinds
expect_err "nsplit: $stream"
expect_status 2 nsplit --check-params --format=kdump - new < kinds
expect_err "nsplit: $stream"
expect_status 2 nsplit -d 31 --format=kdump - new < kinds
expect_err "nsplit: standard input: --dump-level and --exclude need a source that can be read more than once, and \
this is a stream; omit them, or capture to a file first"
absent new
expect_status 0 nsplit --check-params --format=kdump -d 31 kinds new
expect_err ""

# member SOURCE WHY OPTION...: a member is written, and njoin restores the source
member() {
	source=$1 why=$2
	shift 2
	expect_status 0 nsplit -q --format=kdump "$@" "$source" new
	sed '/nothing is left out: /d' err > told
	echo "nsplit: $why; a member is written instead of a dump in the kdump-compressed form; njoin reads it" > want
	same told want
	closed new
	expect_status 0 njoin -q -o copy new
	same copy "$source"
	rm new copy
}

elf="unsupported source: not an ELF file"
printf 'no core' > text
member text "$elf"
member text "$elf" -d 31
: > nothing
member nothing "$elf"
sed 's/VMCOREINFO/VMCOREINFX/' kinds > other
member other "the core has no VMCOREINFO: it is not a vmcore, or its kernel was built without support for crash dumps"
member other "the core has no VMCOREINFO: it is not a vmcore, or its kernel was built without support for crash dumps" -d 31
