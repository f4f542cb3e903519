#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# {now} in an OUTPUT, wherever it is named, is the time at which nsplit started, so that a second
# dump does not overwrite the files of the first.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

head -c 5000 "$srcdir/COPYING" > core
mkdir d1 d2

# begin: removes all files
begin() {
	rm -rf made
	mkdir made made/d1 made/d2
	cd made
	before=$(date -u +%Y%m%d%H%M%S)
}

# made NAME...: exactly these files exist, with one time in place of NOW, which is that of this
# capture
made() {
	after=$(date -u +%Y%m%d%H%M%S)
	find . -type f ! -name out ! -name err | sed 's|^\./||' > ../names
	cd ..
	grep -o '[0-9]\{14\}' names | sort -u > stamps
	[ "$(wc -l < stamps)" -eq 1 ] || fail "not one time: $(cat names)"
	now=$(cat stamps)
	if [ "$now" -lt "$before" ] || [ "$now" -gt "$after" ]; then
		fail "$now is not between $before and $after"
	fi
	sed "s/$now/NOW/g" names | sort > got
	printf '%s\n' "$@" > want
	same got want
}

# On the command line; with a range, and several times in a name.  The time zone does not matter.
begin
expect_status 0 env TZ=XXX-9 nsplit -q --also='d{1..2}/{now}.{now}' ../core 'a-{now}' '|cat > c-{now}'
expect_err ""
made a-NOW c-NOW d1/NOW.NOW d2/NOW.NOW
begin
expect_status 0 nsplit -q --filter='cat > "$FILE.z"' ../core '{now}'
made NOW.z
begin
expect_status 0 nsplit -q --fallback='{now}' ../core nowhere/a
made NOW

# In the configuration.
printf 'output = a-{now}\nalso = d{1..2}/vmcore-{now}\nfallback = |cat > f-{now}\n' > conf
begin
echo old > a-1
echo old > d1/vmcore-1
expect_status 0 nsplit -q --config=../conf ../core
expect_err ""
made a-1 a-NOW d1/vmcore-1 d1/vmcore-NOW d2/vmcore-NOW
expect_status 0 njoin -q -o copy "made/a-$now" "made/d1/vmcore-$now" "made/d2/vmcore-$now"
same copy core
rm copy

# It is shown and checked.
expect_status 0 nsplit -n --config=conf core
grep -qx 'output 1: d1/vmcore-[0-9]\{14\}, file' out || fail "$(cat out)"
expect_status 0 nsplit --check-params --config=conf core
expect_status 2 nsplit -q core '{now}' './{now}'
sed -i 's/[0-9]\{14\}/NOW/g' err
expect_err "nsplit: ./NOW: is the same file as NOW"

# A backslash, and other file names, are not expanded.
cp core '{now}'
expect_status 0 nsplit -q '{now}' 'a\{now\}'
closed 'a{now}'
rm 'a{now}'
expect_usage nsplit "outputs: a\{now}: a closing brace has no opening brace; a backslash before a brace makes it part of the name" \
	-q '{now}' 'a\{now}'
expect_status 0 nsplit -q core a --stats='figures-{now}'
[ -s 'figures-{now}' ] || fail "no statistics"
mv a 'm-{now}'
expect_status 0 njoin -q -o copy 'm-{now}'
same copy core
