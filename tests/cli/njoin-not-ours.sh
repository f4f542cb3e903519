#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A file that is not a member is reported as such; if a file cannot be opened, the reason is
# reported.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkfakevmcore -s 100000 core
nsplit -q core a b
mkdir d
: > empty
seq 2000 > text

# says TEXT MEMBER...
says() {
	text=$1
	shift
	expect_status 1 njoin -q -o d/new "$@"
	expect_err "njoin: $text"
	[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"
}

says "text: not a member of an nsplit set: no superblock at byte 0" text
says "text: not a member of an nsplit set: no superblock at byte 0" a text b
says "core: not a member of an nsplit set: it is an ELF file" a core b
says "empty: not a member of an nsplit set: it has 0 bytes" empty
says "nowhere: No such file or directory" nowhere
says "d: Is a directory" a b d
head -c 1000 a > short
says "short: cut short: it ends in the superblock at byte 0" short

# Other dumps, which are read only alone: njoin-dump.sh.
printf 'KDUMP   ' | cat - text > kdump
says "kdump: not a member of an nsplit set: it is a kdump-compressed dump" a kdump
printf makedumpfile | cat - text > flat
says "flat: not a member of an nsplit set: it is a flattened dump, as makedumpfile -F writes it" a flat b

# From a pipe too.
head -c 90000 core | expect_status 1 njoin -q -o d/new -
expect_err "njoin: standard input: not a member of an nsplit set: it is an ELF file"
head -c 5000 text | expect_status 1 njoin -q -o d/new -
expect_err "njoin: standard input: not a member of an nsplit set: no superblock at byte 0"
expect_status 1 njoin -q -o d/new - < /dev/null
expect_err "njoin: standard input: not a member of an nsplit set: it has 0 bytes"
[ -z "$(ls -A d)" ] || fail "something is left: $(ls -A d)"

# --salvage reports and ignores it.
expect_status 3 njoin -q --salvage -o d/new a core b
expect_err "njoin: core: not a member of an nsplit set: it is an ELF file"
same d/new core
