#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# While the outputs are synced, progress says so, and a signal waits for it.  The last message says what
# the dump has come to.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need_inject nsplit
mkfakevmcore --size=4M core

# interrupted RULES SAID NSPLIT-ARGUMENT...: sends SIGTERM when nsplit with these faults has printed the line
# SAID, and leaves its messages in the file err, without progress and summary
interrupted() {
	said=$2
	# Not with injected(), whose process is not the program.
	rules=$1
	shift 2
	: > err
	env INJECT="$rules" LD_PRELOAD="$inject" ASAN_OPTIONS=verify_asan_link_order=0 \
		nsplit -c --overwrite-dumps --progress=always "$@" 2> err &
	pid=$!
	wait_for still_says "$pid" "$said"
	kill -s TERM "$pid"
	expect_end 143 $pid "$*"
	sed -i '/ %, /d; / written, /d; / captured in /,$d' err
}

syncing='syncing 1 output$'
waiting='nsplit: Terminated: waiting for 1 output to be synced; a second signal ends this at once'

interrupted fsync:a:1:slow=4000 "nsplit: 100.0 %, .*, ratio [0-9.]*, $syncing" core a b
expect_err "$waiting
nsplit: the dump is complete: nothing was left to capture"
closed a b
expect_status 0 njoin -q -o joined a b
expect_err ''
cmp core joined || fail 'the dump is not complete'

# Only the program that wrote a stream knows whether its end is that of the dump.
mkfifo stream
cat core > stream &
interrupted fsync:a:1:slow=4000 "$syncing" stream a
expect_err "$waiting
nsplit: all that the source delivered was captured, but the signal may have ended the program that wrote it"
expect_status 0 njoin -q --overwrite-dumps -o joined a
cmp core joined || fail 'not all of the stream was captured'

# What is wrong without a signal is wrong after one, too.
interrupted fsync:a:1:slow=4000 "$syncing" /dev/null a
expect_err "$waiting
nsplit: /dev/null: ended without data, so the members are empty; check the program that should have written to it"

interrupted 'pread:core:@2097152-2105344:EIO fsync:a:1:slow=4000' "$syncing" core a
expect_err "nsplit: unreadable: bytes 2097152 to 2105343 (core: Input/output error)
$waiting
nsplit: the dump is complete, except for what could not be read"

# A command is waited for by itself: what is synced already is not.
interrupted '' 'nsplit: 100.0 %, .*, waiting for 1 command$' core a b '|cat > c; sleep 4'
! grep -q syncing err || fail "the files are synced: $(cat err)"
expect_err 'nsplit: Terminated: waiting for 1 command to end; a second signal ends this at once
nsplit: the dump is complete: nothing was left to capture'
expect_status 0 njoin -q --overwrite-dumps -o joined a b c
cmp core joined || fail 'the dump is not complete'

# There is nothing to restore from null:.
expect_status 143 injected pread:core:4:SIGTERM nsplit -q --serial --chunksize=64K core null:
for line in 'Terminated: closing the members' 'the dump is incomplete'; do
	grep -qxF "nsplit: $line" err || fail "not \"$line\": $(cat err)"
done
