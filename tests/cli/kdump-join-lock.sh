#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Two runs of nsplit-join at once: the second one changes nothing.
# shellcheck source=tests/cli/kdump-join-lib.sh
. "${srcdir:?}/tests/cli/kdump-join-lib.sh"
need flock

busy='nsplit-join: another run is at work, and this one has changed nothing; call it again when that one has ended'

# A run that waits in njoin until there is a file go.
stub bin/njoin << END
case " \$* " in
*' --verify '*) ;;
*)
	echo begun > $PWD/crash/a.kdump-unverified
	echo begun > $PWD/begun
	while [ ! -e $PWD/go ]; do sleep 0.1; done
	rm $PWD/crash/a.kdump-unverified
	;;
esac
exec $builddir/njoin "\$@"
END
mkdir crash
nsplit -q kinds crash/a
settings "directory = $PWD/crash" "remove-members = yes"

# begin: such a run in the background
begin() {
	rm -f go begun
	"$shell" script > first.out 2> first.err &
	first=$!
	kill_at_exit $first
	wait_for [ -e begun ]
}

begin
# By hand, meanwhile, with the same settings and with others.
joins 1
expect_err "$busy"
settings "directory = $PWD/crash"
joins 1
expect_err "$busy"
[ "$(cat crash/a.kdump-unverified)" = begun ] || fail "the second run has changed the file of the first one"
: > go
expect_end 0 $first "the first run"
cat > want << END
nsplit-join: $PWD/crash/a.kdump: made of 1 member, and verified
nsplit-join: $PWD/crash/a: removed
END
same first.err want
# The lock ends with the run.
joins 0
expect_err ''

# If the script is killed, its njoin may go on; it still has the lock.
rm crash/*
nsplit -q kinds crash/a
settings "directory = $PWD/crash"
begin
kill -KILL $first
wait $first 2> /dev/null || :
joins 1
expect_err "$busy"
: > go
# free FILE: nobody has locked it
free() {
	(flock -n 9) 9< "$1"
}
lock=$PWD/run/nsplit-join.lock
[ -e "$lock" ] || lock=$PWD
wait_for free "$lock"
joins 0
[ -f crash/a.kdump ] || fail "there is no kdump file: $(ls crash)"

# Wrong settings are reported without the lock; if it cannot be opened, nothing is done.
cp "$config" right
settings 'remove-members = perhaps'
joins 2
mv right "$config"
rm crash/a.kdump
if [ "$(id -u)" -eq 0 ]; then
	rm "$PWD/run/nsplit-join.lock"
	mkdir "$PWD/run/nsplit-join.lock"
	joins 1
	said "nsplit-join: $PWD/run/nsplit-join.lock: cannot be opened, so it is unknown whether another run is at work; nothing was done"
else
	HOME=$PWD/nowhere joins 1
	said "nsplit-join: $PWD/nowhere: cannot be opened, so it is unknown whether another run is at work; nothing was done"
fi
absent crash/a.kdump
