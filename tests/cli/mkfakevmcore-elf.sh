#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# readelf accepts a fake vmcore as a core: notes first, then memory with a gap.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need readelf

# segments FILE: prints type, offset, physical address and length in the file, one segment a line
segments() {
	readelf -lW "$1" 2> readelf.err | awk '$1 ~ /^(NOTE|LOAD)$/ { print $1, $2, $4, $5 }'
	[ ! -s readelf.err ] || fail "readelf: $(cat readelf.err)"
}

mkfakevmcore -s 4M core
readelf -hW core > header 2>&1
grep -q 'Type: *CORE' header || fail "readelf sees no core"
grep -q 'Machine: .*X86-64' header || fail "readelf sees another machine"
segments core > got
sed 's/ 0x0*/ 0x/g' got > short
cat > want << END
NOTE 0x1000 0x 0x2c4
LOAD 0x2000 0x1000 0x9e000
LOAD 0xa0000 0x100000 0x360000
END
same short want

readelf -nW core > notes 2>&1
grep -q 'CORE.*NT_PRSTATUS' notes || fail "no NT_PRSTATUS note"
grep -q '^ *VMCOREINFO' notes || fail "no VMCOREINFO note"

# The third range begins at 4 GiB; only the headers are needed.
{ mkfakevmcore -p zero -s 10G - 2> /dev/null || :; } | head -c 8192 > large
truncate -s 10G large
segments large | sed 's/ 0x0*/ 0x/g' > short
cat > want << END
NOTE 0x1000 0x 0x2c4
LOAD 0x2000 0x1000 0x9e000
LOAD 0xa0000 0x100000 0xaff00000
LOAD 0xaffa0000 0x100000000 0x1d0060000
END
same short want
