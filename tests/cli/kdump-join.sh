#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit-join, which makes kdump files of members after the reboot, without systemd.
# shellcheck source=tests/cli/kdump-join-lib.sh
. "${srcdir:?}/tests/cli/kdump-join-lib.sh"

need python3

# is_joined FILE [OPTION...]: it has the pages that njoin takes of the kinds core with these options
is_joined() {
	made=$1
	shift
	expect_status 0 njoin -q --format=kdump --compress=zlib "$@" --overwrite-dumps -o want kinds
	python3 -B "$srcdir/tests/cli/kdump-pages.py" "$made" want > told 2>&1 || fail "$made: $(cat told)"
}

# Without settings, it looks into /var/crash, which need not exist.
joins 0
expect_err ''

# Members of several sets in several directories, of which one has no kdump file yet.
mkdir -p crash/202611221000 disk1/crash disk2/crash
nsplit -q kinds crash/202611221000/vmcore disk1/crash/a disk2/crash/a
nsplit -q kinds 'crash/a name'
echo text > crash/text
: > crash/empty
settings "directory = $PWD/crash" "directory	=	$PWD/disk*/crash" "directory = $PWD/nowhere"
joins 0
sort err > told
cat > expected << END
nsplit-join: $PWD/crash/202611221000/vmcore.kdump: made of 3 members, and verified
nsplit-join: $PWD/crash/a name.kdump: made of 1 member, and verified
END
same told expected
is_joined crash/202611221000/vmcore.kdump
is_joined "crash/a name.kdump"
[ -f disk1/crash/a ] && [ -f disk2/crash/a ] && [ -f crash/202611221000/vmcore ] || fail "members were removed"
# There is nothing left to do.
joins 0
expect_err ''
# Another configuration file.
rm crash/*.kdump
mv "$config" other.conf
joins 0 other.conf
said "nsplit-join: $PWD/crash/a name.kdump: made of 1 member, and verified"
joins 2 missing.conf
expect_err 'nsplit-join: missing.conf: cannot be read'

# Options of njoin.
rm crash/*.kdump
settings "# A comment" "" "directory = $PWD/crash" "options = -d 31 --compress=zlib"
joins 0
is_joined "crash/a name.kdump" -d 31
# Members are kept if any option is not known to put all pages into the one file.
while IFS='|' read -r options word; do
	rm -f crash/*.kdump second
	settings "directory = $PWD/crash" "options = $(printf '%b' "$options")" "remove-members = yes"
	joins 0
	said "nsplit-join: $PWD/crash/a name: the members are kept, because with the option '$word', pages may be missing from the kdump file"
	[ -f "crash/a name" ] || fail "$options: a member was removed"
done <<- 'END'
	-d 31|-d
	-d31|-d31
	-q\t-d 31|-d
	--compress=zlib\t-d31|-d31
	-qvd31|-qvd31
	-v --dump-level=31|--dump-level=31
	-j2 --dump-l=31|--dump-l=31
	--exclude=free|--exclude=free
	--compress zlib|--compress
END
# A second file has half of the pages, whether or not njoin accepts the first one alone.
rm -f crash/*.kdump
settings "directory = $PWD/crash" "options = -o $PWD/second" "remove-members = yes"
"$shell" script > out 2> err || :
[ -f "crash/a name" ] || fail "a member was removed although the dump was split: $(cat err)"
rm -f second

# Members are removed only if that is asked for.
rm -f crash/*.kdump crash/202611221000/*.kdump
settings "directory = $PWD/crash" "directory = $PWD/disk1" "directory = $PWD/disk2" "remove-members = yes"
cp "crash/a name" kept
echo 'options = --compress=zlib	-j2 --threads=2 -q -v' >> "$config"
joins 0
for removed in 'crash/a name' crash/202611221000/vmcore disk1/crash/a disk2/crash/a; do
	absent "$removed"
	said "nsplit-join: $PWD/$removed: removed"
done
is_joined crash/202611221000/vmcore.kdump
is_joined "crash/a name.kdump"
cp kept disk2/other
settings "directory = $PWD/crash" "directory = $PWD/disk2" "remove-members = yes"
# A kdump file of an interrupted run is made again.
echo unverified > disk2/other.kdump-unverified
joins 0
said "nsplit-join: $PWD/disk2/other.kdump: made of 1 member, and verified"
absent disk2/other disk2/other.kdump-unverified
is_joined disk2/other.kdump
rm -r crash/* disk1/* disk2/*

# If a member cannot be removed, the first one stays, too, and with it the knowledge that the set is done.
nsplit -q kinds crash/one crash/two
stub bin/rm << END
case \$* in
*crash/two) echo "rm: read-only" >&2; exit 1 ;;
esac
exec $(command -v rm) "\$@"
END
joins 0
[ -f crash/one ] && [ -f crash/two ] || fail "a member was removed: $(ls crash)"
joins 0
expect_err ''
rm bin/rm crash/*
# Nor is any removed before the name of the kdump file is on the disk.
nsplit -q kinds crash/one crash/two
stub bin/sync << 'END'
exit 1
END
joins 1
said "nsplit-join: $PWD/crash/one.kdump: it could not be synced to the disk; the members are kept"
[ -f crash/one ] && [ -f crash/two ] || fail "a member was removed: $(ls crash)"
rm bin/sync crash/*

# A set that is incomplete: a member is missing, or the capture was killed.
nsplit -q --stripe kinds crash/one crash/two
mv crash/two .
cp two crash/cut
truncate -s -8192 crash/cut
joins 1
said "nsplit-join: $PWD/crash/one: not joined: njoin ended with status 1; found of its set: 2 members"
rm crash/cut
joins 1
said "nsplit-join: $PWD/crash/one: not joined: njoin ended with status 1; found of its set: 1 member"
absent crash/one.kdump
# When it is there, the set is joined.
mv two crash
joins 0
absent crash/one
is_joined crash/one.kdump
rm crash/*

# Damage is found by njoin, and what is wrong with a kdump file by the check that follows.
nsplit -q kinds crash/a
printf x | dd of=crash/a bs=1 seek=3000000 conv=notrunc 2> dd.err
joins 1
said "nsplit-join: $PWD/crash/a: not joined: njoin ended with status 1; found of its set: 1 member"
nsplit -q --overwrite-dumps kinds crash/a
stub bin/njoin << END
case " \$* " in
*' --verify '*) exit \$(cat $PWD/verified) ;;
esac
$builddir/njoin "\$@"
exit \$(cat $PWD/joined)
END
# As long as the kdump file cannot be verified, there is none, and each run fails.
echo 1 > verified
echo 0 > joined
for run in first second; do
	joins 1
	expect_err "nsplit-join: $PWD/crash/a.kdump: not kept: njoin --verify ended with status 1; the members are kept"
	[ "$(ls crash)" = a ] || fail "after the $run run, there are: $(ls crash)"
done
# Nothing has the final name before that, so an interruption there does not count as success.
stub bin/njoin << END
case " \$* " in
*' --verify '*) kill -KILL \$PPID; exit 1 ;;
esac
exec $builddir/njoin "\$@"
END
"$shell" script > out 2> err || :
[ -f crash/a.kdump-unverified ] || fail "there is no file to verify: $(ls crash)"
absent crash/a.kdump
stub bin/njoin << END
exec $builddir/njoin "\$@"
END
joins 0
[ "$(ls crash)" = a.kdump ] || fail "there are: $(ls crash)"
is_joined crash/a.kdump
rm crash/a.kdump
nsplit -q kinds crash/a
# Something else of that name appears during the verification.
stub bin/njoin << END
case " \$* " in
*' --verify '*) echo precious > $PWD/crash/a.kdump ;;
esac
exec $builddir/njoin "\$@"
END
joins 1
said "nsplit-join: $PWD/crash/a.kdump-unverified: verified, but it could not be renamed to $PWD/crash/a.kdump; the members are kept"
[ "$(cat crash/a.kdump)" = precious ] || fail "a file was overwritten"
rm crash/a.kdump*
stub bin/njoin << END
case " \$* " in
*' --verify '*) exit \$(cat $PWD/verified) ;;
esac
$builddir/njoin "\$@"
exit \$(cat $PWD/joined)
END
# Pages that could not be read.
echo 3 | tee verified > joined
joins 0
expect_err "nsplit-join: $PWD/crash/a.kdump: made of 1 member, and verified; pages that could not be read are missing, and the members are kept"
[ -f crash/a ] || fail "a member of a dump with unreadable pages was removed"
rm bin/njoin crash/a.kdump

# Not in the place of something else.
echo precious > crash/a.kdump
joins 0
expect_err ''
[ "$(cat crash/a.kdump)" = precious ] || fail "a file was overwritten"
rm crash/a.kdump
ln -s nowhere crash/a.kdump
joins 0
absent nowhere
rm crash/a.kdump
# Nor through a symbolic link with the temporary name.
ln -s "$PWD/victim" crash/a.kdump-unverified
echo precious > victim
joins 1
[ "$(cat victim)" = precious ] || fail "a file was overwritten through a link"
absent crash/a.kdump
rm crash/a.kdump-unverified

# Not deeper, and not through a symbolic link.
mkdir -p disk1/1/2/3
cp crash/a disk1/1/2/3/a
ln -s "$PWD/crash/a" disk1/link
settings "directory = $PWD/disk1"
joins 0
expect_err ''

# Wrong settings change nothing.
wrong() {
	settings "$1"
	joins 2
	expect_err "nsplit-join: $config: $2"
}
wrong 'directory = crash' "directory 'crash' does not begin with /"
wrong 'remove-members = perhaps' "remove-members must be yes or no, not 'perhaps'"
wrong 'directories = /var/crash' 'not a setting: directories = /var/crash'
wrong 'yes' 'not a setting: yes'
absent crash/a.kdump

# The example has all settings, and can be used.
sed -n 's/^#\([a-z-]* = \)/\1/p' "$srcdir/kdump/join/nsplit-join.conf" | sed "s|= /|= $PWD/none/|" > "$config"
[ "$(sed 's/ =.*//' "$config" | sort -u | tr '\n' ' ')" = 'device directory options remove-members ' ] ||
	fail "the example lacks a setting: $(cat "$config")"
joins 0
expect_err ''

# The unit, if systemd is here to judge it.
if command -v systemd-analyze > which; then
	mkdir units
	stub bin/nsplit-join < script
	sed -e "s|@docdir@|$PWD|" -e "s|@pkglibexecdir@|$PWD/bin|" "$srcdir/kdump/join/nsplit-join.service.in" \
		> units/nsplit-join.service
	systemd-analyze verify --man=no "$PWD/units/nsplit-join.service" > told 2>&1 || :
	if grep nsplit-join told; then
		fail "systemd-analyze verify: $(cat told)"
	fi
fi
