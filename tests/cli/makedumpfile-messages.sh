#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What makedumpfile prints, and where, with each message level.
# shellcheck source=tests/cli/makedumpfile-lib.sh
. "${srcdir:?}/tests/cli/makedumpfile-lib.sh"
need python3
need_no_original

make_core kinds
expect_status 0 nsplit -q -d 31 --format=kdump kinds want

# with OUT ERR ARGUMENT...: a dump and one that fails.  OUT: saved or nothing.  ERR: words for what is on standard
# error, figures and plan.  The error is always there; the report, which goes where saved goes, only with its bit.
with() {
	on_out=$1 on_err=$2
	completed="$(saved new)" ended=$failed
	[ "$on_out" = saved ] || completed='' ended=''
	shift 2
	expect_status 0 makedumpfile "$@" -d 31 kinds new
	same_dump new want
	sed -i '/^$/N; /^\nOriginal pages/,/^Write bytes/d' out
	expect_out "$completed"
	check_err "$*" "$on_err"
	rm new
	expect_status 0 makedumpfile "$@" -F -d 31 kinds
	same_dump out want
	tail -n 4 err > ends
	if [ "$on_out" = saved ]; then
		saved STDOUT > end
		same ends end
		sed -i '/^$/d; /^The dumpfile/d; /^makedumpfile C/d' err
	fi
	check_err "$* -F" "$on_err"

	expect_status 1 makedumpfile "$@" kinds want
	expect_err "makedumpfile: want: exists; use -f to overwrite it"
	expect_out "$ended"
	expect_status 1 makedumpfile "$@" -d 31 nowhere new
	expect_err "makedumpfile: nowhere: No such file or directory"
	expect_out "$ended"
	expect_status 1 makedumpfile "$@" -F nowhere
	expect_err "makedumpfile: nowhere: No such file or directory${ended:+
$ended}"
	expect_out ""
	absent new
}

check_err() {
	case $2 in
	*figures*) [ "$(grep -c ' captured in ' err)" -eq 1 ] || fail "$1: no figures: $(cat err)" ;;
	*) ! grep -q ' captured in ' err || fail "$1: figures: $(cat err)" ;;
	esac
	case $2 in
	*plan*) grep -qx 'form: kdump-compressed' err || fail "$1: no plan: $(cat err)" ;;
	*) ! grep -q 'form: ' err || fail "$1: the plan: $(cat err)" ;;
	esac
	sed -i '/^$/d; /^Original pages/,/^Write bytes/d; /^[a-z]*\( 0\)*: /d; /^left out: /d' err
	[ "$2" = "" ] || return 0
	sed -i "/^makedumpfile: *[0-9.]* %, /d; /: the kernel's pages are on the disk, /d" err
	[ ! -s err ] || fail "$1: $(cat err)"
}

with saved figures
with nothing "" --message-level 0
with nothing figures --message-level 1
with saved "" --message-level 2
with nothing "" --message-level 4
with saved "" --message-level 6
with saved figures --message-level=7
with nothing plan --message-level 8
with nothing "" --message-level 16
with saved "figures plan" --message-level 31
with nothing plan --message-level 0 -D
with nothing plan -D --message-level 0
with saved "figures plan" -D
with saved figures --show-stats
with saved "figures plan" -D --show-stats
with nothing "" --message-level foo

# The report.  One page of zeros is in the dump, but counted as the original program counts it.
cat > want.report << 'END'
Original pages  : 0x0000000000002080
  Excluded pages   : 0x0000000000000912
    Pages filled with zero  : 0x0000000000000001
    Non-private cache pages : 0x0000000000000096
    Private cache pages     : 0x000000000000000a
    User process data pages : 0x0000000000000464
    Free pages              : 0x0000000000000408
    Hwpoison pages          : 0x0000000000000001
    Offline pages           : 0x0000000000000004
  Remaining pages  : 0x000000000000176e
  (The number of pages is reduced to 72%.)
Memory Hole     : 0x0000000000000000
--------------------------------------------------
Total pages     : 0x0000000000002080
END
expect_status 0 makedumpfile --message-level 16 -d 31 kinds new
sed '/^Write bytes     : [0-9]*$/d; /^$/d' out > report
same report want.report
rm new
expect_status 0 makedumpfile --show-stats -F -d 31 kinds
sed -n '/^Original/,/^Total/p' err > report
same report want.report
expect_status 0 makedumpfile --message-level 15 -d 31 kinds new
expect_out "$(saved new)"
rm new

for level in 32 -1 99999999999999999999; do
	refused "--message-level: '$level' is not a number from 0 to 31" --message-level $level kinds new
done

# A wrong command line; and with -F, on standard error.
expect_status 1 makedumpfile --message-level 0 --frob kinds new
expect_err "makedumpfile: unknown option '--frob'"
expect_out ""
expect_status 1 makedumpfile -F --frob kinds
expect_err "makedumpfile: unknown option '--frob'
$invalid"
expect_out ""
expect_status 1 makedumpfile -F kinds new
expect_err "makedumpfile: unexpected operand 'new': -F writes to standard output
$invalid"
expect_out ""
absent new

# Standard output takes nothing: the dump is complete.
if [ -c /dev/full ]; then
	makedumpfile -d 31 kinds new > /dev/full 2> err || fail "standard output is full: $(cat err)"
	told "makedumpfile: standard output: No space left on device"
	same_dump new want
	rm new
fi

# Progress, while it is slow.
need_inject nsplit
for level in 7 1; do
	expect_status 0 injected pread:kinds:@20000000-20000001:slow=2500 \
		makedumpfile --message-level $level kinds new
	grep -q '^makedumpfile: [ 0-9.]* %, ' err || fail "no progress: $(cat err)"
	rm new
done
expect_status 0 injected pread:kinds:@20000000-20000001:slow=2500 makedumpfile --message-level 6 kinds new
! grep -q ' %, ' err || fail "progress: $(cat err)"
