#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Cores with tens of thousands of program headers, and with more than e_phnum can hold (PN_XNUM): each form has all of
# their pages, and the memory that the headers need is part of the plan.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"
need python3 prlimit
have_codec zlib || skip "this build has no zlib"

# core SEGMENTS EACH: of one page, with a frame between them; every EACHth is in the file, some with data
core() {
	python3 -B - "$@" << 'EOF' || fail "$*"
import struct, sys
PAGE, count, each = 4096, int(sys.argv[1]), int(sys.argv[2])
headers = count + 1
many = headers >= 0xffff
info = b"OSRELEASE=6.1.0\nPAGESIZE=4096\nCRASHTIME=1700000000\n"
note = struct.pack("<III", 11, len(info), 0) + b"VMCOREINFO\0\0" + info + bytes(-len(info) % 4)
table, sections = 64, 64 + 56 * headers
notes = sections + 64
data = -(-(notes + len(note)) // PAGE) * PAGE
with open("core", "wb") as file:
    file.write(b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 4, 62, 1, 0, table, sections if many else 0, 0, 64, 56, 0xffff if many else headers,
        64 if many else 0, int(many), 0))
    file.write(struct.pack("<IIQQQQQQ", 4, 0, notes, 0, 0, len(note), len(note), 0))
    for i in range(count):
        file.write(struct.pack("<IIQQQQQQ", 1, 7, data + i // each * PAGE, 0xffff888000000000 + 2 * i * PAGE,
                               2 * i * PAGE, 0 if i % each else PAGE, PAGE, PAGE))
    file.write(struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, headers, 0, 0))
    file.seek(notes)
    file.write(note)
    pages = -(-count // each)
    for i in range(0, pages, 100):
        file.seek(data + i * PAGE)
        file.write(struct.pack("<Q", i + 1) * (PAGE // 8))
    file.truncate(data + pages * PAGE)
EOF
}

for each in 2 10; do
	set -- $((each == 2 ? 20000 : 70000)) $each
	core "$@"
	# As a dump, njoin reads all of them.
	expect_status 0 njoin -q -d 0 --compress=zlib --format=kdump -o want core
	expect_status 0 nsplit -q -j2 -d 0 core m0 m1
	expect_err ""
	expect_status 0 njoin -q -o copy m0 m1
	same copy core
	expect_status 0 njoin -q -d 0 --compress=zlib --format=kdump -o new m0 m1
	same_dump new want
	rm m0 m1 new copy
	expect_status 0 nsplit -q -j2 -d 0 -C raw --format=kdump core new
	expect_err ""
	same_dump new want
	rm new
	nsplit -q -j2 -d 0 -C raw --format=kdump core - > flat || fail "flattened"
	expect_status 0 njoin -q --compress=zlib -o new flat
	same_dump new want
	rm new flat
	expect_status 0 nsplit -q -j2 -d 0 --format=elf core new
	expect_err ""
	expect_status 0 njoin --list new
	grep -q " $(($1 / $2)) of them in the core\$" out || fail "$(cat out)"
	nsplit -q -j2 -d 0 --format=elf core - > flat || fail "flattened ELF"
	expect_status 0 njoin -q -o copy flat
	same copy new
	rm new want flat copy
done

# The plan has the memory of the headers: 220 bytes each for a member, 660 for a dump.
expect_status 0 nsplit -n -j1 core new
! grep -q 'program headers' out || fail "$(cat out)"
expect_status 0 nsplit -n -j1 -d 0 core new
grep -q ' + 14\.7 MiB program headers + ' out || fail "$(cat out)"
expect_status 0 nsplit --check-params --json -j1 -C raw core new
plain=$(sed -n 's/.*"memory_needed_bytes": \([0-9]*\).*/\1/p' out)
for form in kdump elf; do
	expect_status 0 nsplit -n -j1 -C raw --format=$form core new
	grep -q ' + 44\.1 MiB program headers + ' out || fail "$(cat out)"
	expect_status 0 nsplit --check-params --json -j1 -C raw --format=$form core new
	sum=$(sed -n 's/.*"memory_needed_bytes": \([0-9]*\).*/\1/p' out)
	[ "$sum" -gt $((plain + 44000000)) ] || fail "$sum with --format=$form, and $plain"
done

# A limit that is too small is refused with what the headers need, and the one that is named works.
# A member needs them only for what is left out, so nothing is, if memory is short.
expect_status 2 nsplit -q -j1 -d 0 --mem-limit=4M core new
grep -qx 'nsplit: --mem-limit=4194304 is too small; these options need at least [0-9]* bytes' err || fail "$(cat err)"
least=$(sed 's/.* at least \([0-9]*\) bytes.*/\1/' err)
expect_status 0 nsplit -q -j1 -d 0 --mem-limit="$least" core new
expect_err ""
rm new
for options in '--format=kdump -C raw' --format=elf; do
	# shellcheck disable=SC2086 # a list of options
	expect_status 2 nsplit -q -j1 $options --mem-limit=4M core new
	grep -qx 'nsplit: --mem-limit=4194304 is too small; these options need at least [0-9]* bytes, [0-9]* of them for the 70001 program headers of the source' err ||
		fail "$(cat err)"
	least=$(sed 's/.* at least \([0-9]*\) bytes.*/\1/' err)
	# shellcheck disable=SC2086
	expect_status 0 nsplit -q -j1 $options --mem-limit="$least" core new
	rm new
done

# Where the system has too little memory for them, it is not taken: a capture without them is smaller.
prlimit --as=1000000000 nsplit --version > version 2> err || skip "it does not run in 1 GB of address space"
least=4
until prlimit --as=$((least << 20)) nsplit --version > version 2> err; do
	least=$((least + 1))
done
expect_status 0 prlimit --as=$(((least + 48) << 20)) nsplit -q -j1 -d 31 -C raw --format=kdump core new
sed 's/, and [0-9.]* MiB is/, and N is/; / is available (.*); using /d' err > told
cat > want << 'EOF'
nsplit: warning: nothing is left out: the core does not describe its pages: VMCOREINFO has no valid SIZE(page)
nsplit: core: its 70001 program headers need 44.1 MiB of memory, and N is available (half of ulimit -v); a member is written instead of a dump in the kdump-compressed form; njoin reads it
EOF
same told want
expect_status 0 njoin -q -o copy new
same copy core
rm new copy
expect_status 0 prlimit --as=$(((least + 32) << 20)) nsplit -q -j1 -d 31 core new
sed 's/, and [0-9.]* MiB is/, and N is/; / is available (.*); using /d' err > told
cat > want << 'EOF'
nsplit: warning: nothing is left out: core: its 70001 program headers need 14.7 MiB of memory, and N is available (half of ulimit -v)
EOF
same told want
expect_status 0 njoin -q -o copy new
same copy core
