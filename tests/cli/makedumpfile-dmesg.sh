#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# makedumpfile --dump-dmesg: the kernel log of a core and of dumps in each form, to a file or with -F to standard
# output, and what kdump's scripts read beside it.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"

make_core log
i=0
while [ "$i" -lt 100 ]; do
	i=$((i + 1))
	printf '[    %d.%03d000] record number %03d of one hundred of them\n' $((i / 1000)) $((i % 1000)) "$i"
done > want
tail -n 40 want > want.partial

# logged FILE: what was printed about a log that was saved
logged() {
	printf '\nThe dmesg log is saved to %s.\n\nmakedumpfile Completed.\n' "$1"
}

# --- from each form, to a file and to standard output

expect_status 0 makedumpfile -d 1 ring kdump
expect_status 0 makedumpfile -F ring
mv out flat
expect_status 0 makedumpfile -E ring elf
sources="ring kdump flat elf"
for codec in zlib:-c lzo:-l snappy:-p zstd:-z; do
	have_codec "${codec%:*}" || continue
	expect_status 0 makedumpfile "${codec#*:}" ring "${codec%:*}"
	sources="$sources ${codec%:*}"
done

for source in $sources; do
	expect_status 0 makedumpfile --dump-dmesg "$source" new
	expect_err ""
	expect_out "$(logged new)"
	[ "$(stat -c %a new)" = 600 ] || fail "$source: the mode is $(stat -c %a new)"
	same new want
	rm new
	expect_status 0 makedumpfile -F --dump-dmesg "$source"
	expect_err "$(logged STDOUT)"
	same out want
	expect_status 0 makedumpfile --dump-dmesg --partial-dmesg "$source" new
	expect_err ""
	expect_out "$(logged new)"
	same new want.partial
	rm new
done
expect_status 0 makedumpfile --partial-dmesg --dump-dmesg -F ring
same out want.partial
# Options for a dump change nothing.
expect_status 0 makedumpfile -c -d 31 --num-threads 3 --dump-dmesg ring new
expect_err ""
same new want
rm new
# A log may be empty, or longer than a pipe takes.
expect_status 0 makedumpfile --dump-dmesg empty new
lib_expect new ""
rm new
in_pipe makedumpfile -F --message-level 0 --dump-dmesg long | cat > new
pipes_ended_well
[ "$(wc -l < new)" -gt 0 ] || fail "the long log: $(wc new)"
expect_status 0 njoin --dmesg long
same new out
rm new

# --- what is printed with it

# SUSE's kdump takes these lines from standard output or error; retrace-server, the level.
expect_status 0 makedumpfile --message-level 8 --dump-dmesg ring new
expect_err ""
sed -n '1,5p' out > told
expect_status 0 cat told
expect_out "VMCOREINFO   :
  OSRELEASE=6.1.0-made
  PAGESIZE=4096
  NUMBER(phys_base)=0
  CRASHTIME=1000000000"
rm new
expect_status 0 makedumpfile -F --message-level 8 --dump-dmesg ring
same out want
grep -qx '  OSRELEASE=6.1.0-made' err || fail "no OSRELEASE: $(cat err)"
grep -qx '  CRASHTIME=1000000000' err || fail "no CRASHTIME: $(cat err)"
! grep -q '^makedumpfile' err || fail "$(cat err)"
for pair in kdump:1 flat:0; do
	expect_status 0 makedumpfile -D --dump-dmesg ${pair%:*} new
	expect_err ""
	head -n 2 out > told
	printf '  dump_level       : %s\nVMCOREINFO   :\n' ${pair#*:} > wanted
	same told wanted
	tail -n 4 out > told
	logged new > wanted
	same told wanted
	rm new
done
# An ELF core has no level.
expect_status 0 makedumpfile -D --dump-dmesg elf new
! grep -q dump_level out || fail "a level: $(cat out)"
rm new
for level in 0 1 4 16; do
	expect_status 0 makedumpfile --message-level $level --dump-dmesg ring new
	expect_err ""
	expect_out ""
	rm new
	expect_status 0 makedumpfile --message-level $level -F --dump-dmesg ring
	expect_err ""
	same out want
done

# --- what exists, and what is not there

echo precious > new
expect_status 1 makedumpfile --dump-dmesg ring new
expect_err "makedumpfile: new: exists; use -f to overwrite it"
expect_out "$failed"
[ "$(cat new)" = precious ] || fail "what existed was changed"
expect_status 0 makedumpfile -f --dump-dmesg ring new
expect_out "$(logged new)"
same new want
# Without a log, it stays what it was.
expect_status 1 makedumpfile -f --dump-dmesg mute new
same new want
rm new

# nothing TEXT SOURCE: there is no log
nothing() {
	expect_status 1 makedumpfile --dump-dmesg "$2" new
	expect_err "makedumpfile: $1"
	expect_out "$failed"
	absent new
	expect_status 1 makedumpfile -F --dump-dmesg "$2"
	expect_err "makedumpfile: $1
$failed"
	expect_out ""
	expect_status 1 makedumpfile --message-level 0 --dump-dmesg "$2" new
	expect_err "makedumpfile: $1"
	expect_out ""
	absent new
}

nothing "the core has no VMCOREINFO: it is not a vmcore, or its kernel was built without support for crash dumps" bare
nothing "kernel log: not found with VMCOREINFO; the kernel was built without it, or its form is not supported" mute
nothing "nowhere: No such file or directory" nowhere
nothing ".: Is a directory" .
nothing "/dev/null: not a member of an nsplit set: it has 0 bytes" /dev/null
expect_status 0 makedumpfile mute silent
nothing "kernel log: not found with VMCOREINFO; the kernel was built without it, or its form is not supported" silent
copies=$(find . -name 'new*')
[ -z "$copies" ] || fail "left behind: $copies"

refused "--partial-dmesg requires --dump-dmesg" --partial-dmesg ring new
refused "--dry-run cannot be combined with --dump-dmesg" --dry-run --dump-dmesg ring new
refused "the name of LOGFILE is missing" --dump-dmesg ring
refused "unexpected operand 'other'" --dump-dmesg ring new other
expect_status 1 makedumpfile -F --dump-dmesg ring new
expect_err "makedumpfile: unexpected operand 'new': -F writes to standard output
$invalid"
expect_out ""

if [ -c /dev/full ]; then
	status=0
	makedumpfile -F --dump-dmesg ring > /dev/full 2> err || status=$?
	[ $status -eq 1 ] || fail "standard output is full: status $status"
	told "$failed
makedumpfile: standard output: not everything could be written"
fi

# --- at the crash

need_there
core=ring there makedumpfile --dump-dmesg --frob /proc/vmcore "$PWD/new" > out 2> err || fail "at the crash: $(cat err)"
expect_err "makedumpfile: ignored: unknown option '--frob'"
expect_out "$(logged "$PWD/new")"
same new want
core=ring there makedumpfile -F --partial-dmesg --message-level 8 --dump-dmesg /proc/vmcore > out 2> err ||
	fail "at the crash: $(cat err)"
grep -qx '  OSRELEASE=6.1.0-made' err || fail "at the crash: $(cat err)"
same out want.partial
