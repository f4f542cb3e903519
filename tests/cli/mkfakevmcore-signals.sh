#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A signal ends mkfakevmcore without leaving a part of a core, which may have filled the disk.
# mkfakevmcore-terminal.sh tests this on a terminal.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# More than it can write before the signal; what it writes in the meantime is little.
size=1T
truncate -s $size sparse 2> err || skip "no files of 1 TiB here: $(cat err)"
rm sparse

# stopped SIGNAL STATUS FILE OPTION...: the signal comes after the first bytes
stopped() {
	signal=$1 want=$2 file=$3
	shift 3
	mkfakevmcore -s $size "$@" "$file" 2> err &
	pid=$!
	kill_at_exit $pid
	wait_for still_at_least $pid 1048576 "$file"
	kill -s "$signal" $pid
	expect_end "$want" $pid "$signal"
	expect_err ""
}

stopped TERM 143 new
absent new
hup_ignored || stopped HUP 129 new
absent new

# What -f overwrites may be a link or somebody's file, so it stays, and is empty.
echo precious > file
chmod 640 file
ln -s file link
stopped TERM 143 link -f
[ -h link ] || fail "the link is gone"
[ "$(stat -c '%a %s' file)" = "640 0" ] || fail "left: $(stat -c '%a %s' file)"

# SIGUSR1 asks for a line.
mkfakevmcore -s $size new 2> err &
pid=$!
kill_at_exit $pid
wait_for still_at_least $pid 1048576 new
kill -s USR1 $pid
wait_for still_says $pid '^mkfakevmcore: .* of 1\.0 TiB, .*/s'
ends_when_asked_again $pid
wait $pid || :
absent new

# A pipe may block for ever; there is no file to remove.
mkfifo pipe
exec 3<> pipe
mkfakevmcore -s $size pipe 2> err &
pid=$!
kill_at_exit $pid
head -c 1 <&3 > begun
kill -s TERM $pid
expect_end 143 $pid "a pipe"
exec 3>&-
expect_err ""

# No progress without a terminal.
expect_status 0 mkfakevmcore -s 20M quiet
expect_err ""
