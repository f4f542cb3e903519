#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ./quickstart check says how long it takes, and reports why tests were skipped.  On a terminal, it
# shows one line that changes; elsewhere, every line of make.
# shellcheck source=tests/cli/quickstart-lib.sh
. "${srcdir:?}/tests/cli/quickstart-lib.sh"

need script
# Three tests: one passes, one is skipped, and the last one has the result that the file result says.
cat > tests << 'END'
for word; do last=$word; done
case $last in
count-tests) echo 3 ;;
check)
	mkdir -p build/tests
	[ "$(cat result)" != KILLED ] || kill -s KILL $PPID $$
	result() {
		echo ":test-result: $1" > "build/tests/$2.trs"
		echo "$1: tests/$2.sh"
	}
	printf 'hello\n' > build/tests/one.log
	printf 'SKIP: first\nSKIP: there is no disk\n' > build/tests/two.log
	printf 'three says why\n' > build/tests/three.log
	result PASS one
	result SKIP two
	result "$(cat result)" three
	echo '# TOTAL: 3'
	! grep -q FAIL build/tests/three.trs
	;;
esac
END
stub make ". $PWD/tests"
cd tree || exit
mkdir -p build/tests
# Of an earlier run, with a test that no longer exists.
echo ':test-result: FAIL' > build/tests/old.trs
echo 'old' > build/tests/old.log
echo PASS > result
summary=', in [0-9]* min [0-9][0-9] s$'

# --- not a terminal ---

check() {
	expect_status "$1" sh ./quickstart check
}

check 0
expect_err ''
head -n 1 out | grep -qx 'this takes about ten minutes with two CPUs; this machine has [0-9]*' || fail "$(cat out)"
grep -qx "running 3 tests; the complete output is in $PWD/build/quickstart.log" out || fail "$(cat out)"
# .ci/run reads these.
grep -qx 'PASS: tests/one.sh' out && grep -qx '# TOTAL: 3' out || fail "$(cat out)"
grep -qx 'skipped: tests/two: there is no disk' out || fail "no reason: $(cat out)"
tail -n 1 out | grep -q "^2 passed, 0 failed, 1 skipped$summary" || fail "$(cat out)"
grep -qx 'PASS: tests/one.sh' build/quickstart.log || fail "$(cat build/quickstart.log)"

echo FAIL > result
check 1
grep -q "^1 passed, 1 failed, 1 skipped$summary" out || fail "$(cat out)"
grep -qx 'three says why' err || fail "$(cat err)"
[ "$(tail -n 1 err)" = 'quickstart: tests failed' ] || fail "$(cat err)"

# If make is killed, and the shell that waits for it, the status of an earlier run does not count.
echo KILLED > result
for status in none 0; do
	rm -f build/check.status
	[ $status = none ] || echo $status > build/check.status
	check 1
	grep -q "^0 passed, 0 failed, 0 skipped$summary" out || fail "$(cat out)"
	# The shell may say "Killed" before.
	[ "$(tail -n 1 err)" = "quickstart: only 0 of 3 tests have run; see $PWD/build/quickstart.log" ] ||
		fail "$(cat err)"
done

# --- on a terminal ---

need_terminal

# terminal COLUMNS: leaves what a terminal shows in the file screen: of each line, what the last
# carriage return left.  The line that changes fills all columns but the last one.
terminal() {
	status=0
	script -qec "stty cols $1; sh ./quickstart check" typescript < /dev/null > script.out || status=$?
	sed -e 's/\r$//' -e '/^Script /d' -e '/^$/d' typescript > lines
	sed -e 's/.*\r//' -e 's/ *$//' lines > screen
	tr '\r' '\n' < lines | grep '^[1-3] of ' > progress
	[ "$(awk -v columns="$1" 'length == columns - 1' progress | wc -l)" -eq 3 ] ||
		fail "with $1 columns: $(cat progress)"
}

echo PASS > result
terminal 100
[ $status -eq 0 ] || fail "status $status: $(cat screen)"
line='3 of 3, [0-9]* min [0-9][0-9] s: 0 failed, 1 skipped; three'
grep -qx "$line" screen || fail "$(cat screen)"
tr '\r' '\n' < lines | grep -q '^1 of 3, .*; one *$' || fail 'no line for the first test'
if grep -e '^PASS' -e '^# TOTAL' screen; then
	fail 'the output of make is on the screen'
fi
grep -qx 'skipped: tests/two: there is no disk' screen || fail "$(cat screen)"
tail -n 1 screen | grep -q "^2 passed, 0 failed, 1 skipped$summary" || fail "$(cat screen)"
grep -qx 'PASS: tests/one.sh' build/quickstart.log || fail "$(cat build/quickstart.log)"

terminal 50
grep -q '; three *$' progress || fail "$(cat progress)"
# What does not fit ends in three points.
terminal 30
grep -qx '3 of 3, [0-9]* min [0-9][0-9] s: [0-9 a-z]*\.\.\.' progress || fail "$(cat progress)"
terminal 10

echo FAIL > result
terminal 80
[ $status -eq 1 ] || fail "status $status: $(cat screen)"
grep -qx 'FAIL: tests/three.sh' screen || fail "$(cat screen)"
