#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --dmesg writes the kernel log of the core, including what was in it when it was cleared, or reports
# why there is none.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

make_core log
i=0
while [ "$i" -lt 100 ]; do
	i=$((i + 1))
	printf '[    %d.%03d000] record number %03d of one hundred of them\n' \
		$((i / 1000)) $((i % 1000)) "$i"
done > want

for codec in raw lzo zstd; do
	have_codec "$codec" || continue
	rm -f a b log
	nsplit -q -C "$codec" --chunksize=16K ring a b
	expect_status 0 njoin --dmesg b a
	expect_err ""
	same out want
	expect_status 0 njoin --dmesg -o - a b
	expect_err ""
	same out want
	expect_status 0 njoin --dmesg -o /dev/stdout a b
	expect_err ""
	same out want
	expect_status 0 njoin --dmesg -o log a b
	expect_err ""
	expect_out ""
	same log want
done

# The file is created like njoin's other outputs.
[ "$(stat -c %a log)" = 600 ] || fail "the file's mode is $(stat -c %a log)"
expect_status 2 njoin --dmesg -o log a b
expect_err "njoin: log: already exists; use -f to overwrite"
expect_status 0 njoin --dmesg --overwrite-dumps -o log a b
same log want
expect_status 2 njoin --dmesg --overwrite-dumps -o a a b
expect_err "njoin: a: is a member of the set; nothing was written; choose another output"
[ "$(find . -name 'log.*')" = "" ] || fail "a temporary file was left: $(ls)"

# A core without a log, and a source that is not a core.
nsplit -q bare c
expect_status 1 njoin --dmesg -o new c
expect_err "njoin: the core has no VMCOREINFO: it is not a vmcore, or its kernel was built without support for crash dumps"
nsplit -q mute d
expect_status 1 njoin --dmesg -o new d
expect_err "njoin: kernel log: not found with VMCOREINFO; the kernel was built without it, or its form is not supported"
nsplit -q want e
expect_status 2 njoin --dmesg -o new e
expect_err "njoin: unsupported source: not an ELF file"
absent new
[ "$(find . -name 'new.*')" = "" ] || fail "a temporary file was left: $(ls)"

# From a stream.
nsplit -q -c ring streamed
expect_status 0 njoin --dmesg - < streamed
expect_err ""
grep -q 'record number 100 of one hundred' out || fail "$(cat out)"

# A standard output that cannot be written.
if [ -c /dev/full ]; then
	lib_got=0
	njoin --dmesg a b > /dev/full 2> err || lib_got=$?
	[ "$lib_got" -eq 1 ] || fail "full standard output: status $lib_got"
	expect_err "njoin: standard output: not everything could be written"
fi
