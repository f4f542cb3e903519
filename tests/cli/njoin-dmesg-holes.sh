#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# From a log with holes, --dmesg writes what exists, reports what is missing, and ends with status
# 3.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

make_core log

# The memory begins at byte 8192, and in it the text at page 16: 8192 + 65536 + 8.
nsplit -q --raw --stripe --chunksize=4K ring 'm{0..65}'
njoin --dmesg 'm{0..65}' > whole
[ "$(wc -l < whole)" -eq 100 ] || fail "the whole log: $(cat whole)"

# A missing page that the log does not need; there is no message.
rm m60
expect_status 0 njoin --dmesg -q m[0-9] m[0-9][0-9]
expect_err ""
same out whole

# The second page of the text is missing: of the blocks of 48 bytes, 85 end in the first page.
mv m19 away
expect_status 3 njoin --dmesg m[0-9] m[0-9][0-9]
expect_err "njoin: kernel log: 15 records could not be read: kernel address 0xffffffff80111000: byte 77824 is not in any member
njoin: member 19 of 66 (numbered 0 to 65) is missing
njoin: member 60 of 66 (numbered 0 to 65) is missing"
head -n 85 whole > want
same out want
expect_status 3 njoin --dmesg -o log m[0-9] m[0-9][0-9]
same log want
mv away m19

# The same record damaged: treated like a hole, with a message of its own.
printf X | dd of=m18 bs=1 seek=5000 conv=notrunc 2> /dev/null
expect_status 3 njoin --dmesg m[0-9] m[0-9][0-9]
grep -q '^njoin: kernel log: [0-9]* records could not be read: .*: m18: damaged at byte ' err ||
	fail "a damaged record: $(cat err)"

# Without the pages that lead to the log, nothing is written.
rm m2
expect_status 1 njoin --dmesg -o new m[0-9] m[0-9][0-9]
expect_err "njoin: kernel log: kernel address 0xffffffff80100000: byte 8192 is not in any member
njoin: member 2 of 66 (numbered 0 to 65) is missing
njoin: member 60 of 66 (numbered 0 to 65) is missing"
rm m0
expect_status 1 njoin --dmesg -o new m[0-9] m[0-9][0-9]
expect_err "njoin: byte 0 is not in any member
njoin: member 0 of 66 (numbered 0 to 65) is missing
njoin: member 2 of 66 (numbered 0 to 65) is missing
njoin: member 60 of 66 (numbered 0 to 65) is missing"
absent new

# With layers, the log comes first: the first bytes of a dump have it, in all forms and whatever else is in them.
make_core kinds logged
njoin --dmesg logged > whole
[ "$(wc -l < whole)" -eq 100 ] || fail "the whole log: $(cat whole)"

# has_log FILE KIB...: its first KiB do
has_log() {
	file=$1
	shift
	for kib in "$@"; do
		head -c "${kib}K" "$file" > begin
		njoin --salvage --dmesg begin > out 2> err || :
		cmp -s out whole || fail "$file, $kib KiB: $(cat err)"
	done
}

for codec in raw lzo zstd; do
	have_codec "$codec" || continue
	nsplit -q -d 31 --compress="$codec" --overwrite-dumps logged member
	has_log member 64 100 256 1000 4000
	nsplit -q -d 31 --compress="$codec" --format=kdump --overwrite-dumps logged dump
	has_log dump 320 500 1000 4000
	nsplit -q -d 31 --compress="$codec" --format=kdump logged '|cat > flat'
	has_log flat 200 256 1000 4000
done
# Without -d, of what the kernel made.
as_vmcore logged nsplit -q --overwrite-dumps logged member
has_log member 64 100 256 1000 4000

# A page with a memory error is not read, whatever is in it.  The memory begins where the second program header says.
memory=$(od -An -t u8 -j 128 -N 8 marked | tr -d ' ')
echo "$((memory + (256 + 17) * 4096)) 4096" > deadly
as_vmcore marked nsplit -q --mmap=never --overwrite-dumps marked member
absent touched
expect_status 3 njoin --dmesg member
grep -q '^njoin: kernel log: 15 records could not be read: kernel address .* was left out of the capture$' err ||
	fail "a page with an error: $(cat err)"
