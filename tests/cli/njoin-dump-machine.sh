#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# njoin finds the machine of a dump by its numbers, notes and pages, whatever the names in its header are, and counts
# pages of the kernel, whatever the blocks of the dump are.  Cores of other machines are captured and read.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need python3

made() {
	python3 -B "$srcdir/tests/cli/dump-made.py" "$@"
}

# reads MACHINE NUMBER RELEASE KEY=VALUE...: --list has this machine and release, and an ELF core the number
reads() {
	want=$1 code=$2 told=$3
	shift 3
	made dump "$@"
	expect_status 0 njoin --list dump
	expect_err ""
	grep -q "^core: $want, " out || fail "$*: not $want: $(cat out)"
	grep -q "^kernel: $told" out || fail "$*: not $told: $(cat out)"
	expect_status 0 njoin --list --json dump
	grep -q '"machine_told": true' out || fail "$*: $(cat out)"
	expect_status 0 njoin --info dump
	expect_err ""
	expect_status 0 njoin -q --format=elf --overwrite-dumps -o elf dump
	[ "$(od -An -tu2 -j18 -N2 elf | tr -d ' ')" = "$code" ] || fail "$*: not machine $code"
	# The new dump has it in its names.
	expect_status 0 njoin -q --overwrite-dumps -o new dump
	expect_err ""
	[ "$(tail -c +273 new | head -c ${#want})" = "$want" ] || fail "$*: the new dump has no name"
	expect_status 0 njoin -q --format=elf --overwrite-dumps -o again new
	same again elf
}

release="6.1.0-test #1 SMP"
reads x86_64 62 "$release" machine=x86_64
# Four bytes too early, where "x86_64" is "64", and too late.
reads x86_64 62 "$release" shift=-4
reads x86_64 62 "$release" shift=4
reads aarch64 183 "$release" machine=aarch64 shift=-4 status=0
# By the registers.
for pair in x86_64:62:336 aarch64:183:392 riscv64:243:376 ppc64le:21:504 loongarch64:258:480 ia64:50:1144; do
	name=${pair%%:*} number=${pair#*:}
	for machine in "" Unknown i686 s390x; do
		reads "$name" "${number%:*}" "$release" machine=$machine status="${number#*:}"
	done
	reads "$name" "${number%:*}" "6.1.0-test (unknown)" names= status="${number#*:}"
	reads "$name" "${number%:*}" "unknown, since the core has no VMCOREINFO" names= info= status="${number#*:}"
done
# By VMCOREINFO, which is right where names and registers are not.
info=OSRELEASE=6.1.0-test,PAGESIZE=4096
reads x86_64 62 "$release" machine=aarch64 status=392 "info=$info,NUMBER(phys_base)=0"
reads x86_64 62 "$release" machine=Unknown status=0 "info=$info,SYMBOL(init_level4_pgt)=ffffffff81c0a000"
reads aarch64 183 "$release" machine=Unknown status=0 "info=$info,NUMBER(kimage_voffset)=0xffff800010000000"
reads riscv64 243 "$release" machine= status=0 "info=$info,NUMBER(phys_ram_base)=0x80000000"
reads ppc64le 21 "$release" machine=ppc64 status=0 "info=$info,SYMBOL(mmu_vmemmap_psize)=c000000001b0a5c8"
for pair in x86_64:62:ffffffff81000000 aarch64:183:ffff800080010000 ppc64le:21:c000000000000000 \
	loongarch64:258:9000000000200000; do
	number=${pair#*:}
	reads "${pair%%:*}" "${number%:*}" "$release" machine=? status=0 "info=$info,SYMBOL(_stext)=${number#*:}"
done
# mips64 has registers of the same size as loongarch64.
reads mips64 8 "$release" machine=mips64 status=480
# By the names in the kernel's memory.
names=$(python3 -c "print(b''.join(t.ljust(65, b'\0') for t in
	(b'Linux', b'h', b'6.1', b'#2', b'riscv64', b'(none)')).hex())")
reads riscv64 243 "unknown, since the core has no VMCOREINFO" names= info= status=0 "page=$names"
# In a flattened dump, too.
python3 "$srcdir/tests/cli/flatten.py" dump 10000 > flat
expect_status 0 njoin --list flat
grep -q "^core: riscv64, " out || fail "flattened: $(cat out)"

# Nothing says it.
made dump names= info= status=0
for block in 4096:x86_64:62 65536:aarch64:183; do
	name=${block#*:}
	made dump names= info= status=0 "block=${block%%:*}"
	assumed="njoin: dump: the dump does not name its machine; ${name%:*} is assumed"
	expect_status 0 njoin -q --format=elf --overwrite-dumps -o elf dump
	expect_err "$assumed"
	[ "$(od -An -tu2 -j18 -N2 elf | tr -d ' ')" = "${name#*:}" ] || fail "$block: not ${name%:*}"
	expect_status 0 njoin --info dump
	expect_err "$assumed"
	expect_status 0 njoin --list dump
	expect_err "$assumed"
	grep -q "^core: ${name%:*}, assumed, " out || fail "--list: $(cat out)"
	expect_status 0 njoin --list --json dump
	grep -q '"machine_told": false' out || fail "--list --json: $(cat out)"
	expect_status 0 njoin -q --overwrite-dumps -o new dump
	expect_err "$assumed"
	# phys_base is in the header only.
	[ "$(od -An -tu8 -j"${block%%:*}" -N8 new | tr -d ' ')" = 16777216 ] || fail "phys_base is lost"
done

# A name that is not known is reported; "Unknown" is none.
for name in e2k Unknown '(unknown)'; do
	made dump "machine=$name" "info=OSRELEASE=6.1.0-test,PAGESIZE=4096" status=0
	assumed="njoin: dump: the dump does not name its machine; x86_64 is assumed"
	if [ $name = e2k ]; then
		assumed="njoin: dump: the header names the machine 'e2k', which njoin does not know; x86_64 is assumed"
	fi
	for option in --info --list --verify --dmesg "--overwrite-dumps -o new"; do
		# shellcheck disable=SC2086 # an option and its value
		njoin -q $option dump > out 2> err || :
		grep -Fqx "$assumed" err || fail "$name, $option: $(cat err)"
	done
done
# An ELF core has a number.
njoin -q --format=elf --overwrite-dumps -o elf dump 2> err
printf '\376\001' | dd of=elf bs=1 seek=18 conv=notrunc status=none
expect_status 0 njoin --list elf
grep -q "^core: ELF machine 510, " out || fail "ELF: $(cat out)"
expect_status 0 njoin -q --format=kdump --overwrite-dumps -o new elf
expect_status 0 njoin --info new
expect_err "njoin: new: the header names the machine 'ELF machine 510', which njoin does not know; x86_64 is assumed"

# --- cores of other machines, with their kernel logs

make_core log
njoin --dmesg ring > want || fail "ring: no log"

# core_of MACHINE PAGE KEY=VALUE...: the core ring as one of MACHINE, with these lines in VMCOREINFO; the kernel of
# ppc64le (21) is at other addresses
core_of() {
	python3 -B - "$@" <<- 'END'
		import re, struct, sys
		machine, keys = int(sys.argv[1]), "PAGESIZE=%s\n" % "\n".join(sys.argv[2:])
		data = open("ring", "rb").read()
		begin, end = data.index(b"OSRELEASE="), data.index(b"val)=8\n") + 7
		info = re.sub(b"PAGESIZE=4096\n.*phys_base.*\n", keys.encode(), data[begin:end])
		notes = data[4096:begin - 20] + struct.pack("<I", len(info)) + data[begin - 16:begin] + info
		data = bytearray(data[:4096] + notes.ljust(4096, b"\0") + data[8192:])
		struct.pack_into("<H", data, 18, machine)
		struct.pack_into("<2Q", data, 96, len(notes), len(notes))
		if machine == 21:
		    data = re.sub(b"(?s)(...)\x80\xff{4}", b"\\1\0\0\0\0\xc0", data).replace(b"ffffffff80", b"c000000000")
		open("core", "wb").write(data)
	END
}

arm64="NUMBER(VA_BITS)=48 NUMBER(kimage_voffset)=0xffffffff80000000 SYMBOL(_stext)=ffffffff80100000"
riscv="NUMBER(phys_ram_base)=0 NUMBER(PAGE_OFFSET)=0xff60000000000000 NUMBER(MODULES_END)=0xffffffff80000000"
for machine in "aarch64 183 4096 $arm64" "aarch64 183 65536 $arm64" "riscv64 243 4096 $riscv" "ppc64le 21 65536"; do
	# shellcheck disable=SC2086 # words
	set -- $machine
	name=$1 page=$3
	shift
	core_of "$@"
	rm -f a b dump elf
	expect_status 0 nsplit -q core a b
	expect_status 0 njoin -q --overwrite-dumps -o back a b
	same back core
	expect_status 0 nsplit -q --format=kdump core dump
	expect_status 0 nsplit -q --format=elf core elf
	for source in core "a b" dump elf; do
		# shellcheck disable=SC2086 # two members
		expect_status 0 njoin --dmesg $source
		same out want
		# shellcheck disable=SC2086
		expect_status 0 njoin --list $source
		grep -q "^core: $name, " out || fail "$machine, $source: $(cat out)"
		grep -qx "page size: $page bytes" out || fail "$machine, $source: $(cat out)"
	done
done

# --- other machines are refused, by their numbers

# refused WHICH NAME KEY=VALUE...: of a machine that is WHICH; NAME is in the sentence unless it is empty
refused() {
	text="a $1 machine${2:+ ($2)}"
	shift
	shift
	made dump "$@"
	for option in --info --list --verify --dmesg "-o new"; do
		rm -f new
		# shellcheck disable=SC2086 # an option and its value
		expect_status 2 njoin -q $option dump
		expect_err "njoin: dump: unsupported dump: of $text"
	done
}

refused 32-bit i686 word=4 machine=i686 status=144
refused big-endian s390x "order=>" machine=s390x
refused big-endian ppc64 "order=>" machine=ppc64
refused "32-bit big-endian" ppc "order=>" word=4 machine=ppc
# Their names may be wrong.
refused 32-bit "" word=4 machine=x86_64 status=336
refused big-endian "" "order=>" machine=ppc64le
refused big-endian "" "order=>" names=

# --- memory of which nothing is said

made dump empty=1
expect_status 0 njoin --info dump
for option in --list --dmesg "-f -o new"; do
	# shellcheck disable=SC2086 # an option and its value
	expect_status 1 njoin -q $option dump
	expect_err "njoin: dump: damaged: the bitmaps of the dump have no page, so nothing of it can be read"
done

# --- blocks that are not pages: QEMU's dumps of arm64

pages=4096
for block in 4096 16384 65536; do
	made dump block=$block machine=Unknown status=392
	number=$((block / pages))
	expect_status 0 njoin --list dump
	grep -qx "page size: $pages bytes" out || fail "--list, blocks of $block: $(cat out)"
	grep -qx "memory: $((11 * number)) pages, $((9 * number)) of them in the core" out ||
		fail "--list, blocks of $block: $(cat out)"
	expect_status 0 njoin --list --json dump
	grep -q "\"page_size\": $pages,*$" out || fail "--list --json: $(cat out)"
	grep -q "\"block_size\": $block,*$" out || fail "--list --json: $(cat out)"
	grep -q "\"present\": $((9 * number)),*$" out || fail "--list --json: $(cat out)"
	expect_status 0 njoin --info dump
	grep -qx "pages: $((9 * number)) of $pages bytes, 0 of them missing" out || fail "--info: $(cat out)"
	grep -qx "memory: $((11 * number)) pages, $((2 * number)) of them not in the dump" out || fail "--info: $(cat out)"
	if [ $block -gt $pages ]; then
		grep -qx "blocks: of $block bytes; a page of the kernel has $pages" out || fail "--info: $(cat out)"
	fi
	expect_status 0 njoin --info --json dump
	grep -q "\"pages\": $((9 * number)),*$" out || fail "--info --json: $(cat out)"
	grep -q "\"memory_pages\": $((11 * number)),*$" out || fail "--info --json: $(cat out)"
	# The new dump has pages of the kernel, and the same memory.
	expect_status 0 njoin -q --overwrite-dumps -o new dump
	expect_status 0 njoin --info new
	grep -qx "pages: $((9 * number)) of $pages bytes, 0 of them missing" out || fail "--info new: $(cat out)"
	for file in dump new; do
		expect_status 0 njoin -q --format=elf --overwrite-dumps -o $file.elf $file
		tail -c $((9 * block)) $file.elf > $file.memory
	done
	same new.memory dump.memory
	# The last block is cut in its middle, and counted in pages.
	head -c -$((block / 2)) dump > part
	expect_status 3 njoin --progress=never --format=elf --overwrite-dumps -o part.elf part
	sed -i '/: physical /d' err
	expect_err "njoin: missing: $number page$([ $number = 1 ] || echo s) of $pages bytes"
done
