#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# quickstart installs what is missing.  What only the tests need may stay missing: that is reported
# with the reason, and the tests run.  Without something that the build needs, quickstart ends.
# shellcheck source=tests/cli/quickstart-lib.sh
. "${srcdir:?}/tests/cli/quickstart-lib.sh"

# There are no tests, and all of them have run.
stub make "
echo \"\$*\" >> $PWD/made
case \$* in *count-tests) echo 0 ;; esac"
# The file absent lists the modules that are missing, each with pkg-config's message.
stub pkg-config "
for module; do :; done
line=\$(grep \"^\$module \" $PWD/absent) || exit 0
case \$* in *--print-errors*)
	echo 'Package was not found in the pkg-config search path.'
	echo \"\${line#* }\" ;;
esac >&2
exit 1"
# The file unknown lists the packages that apt does not know, as patterns for grep -x.
stub apt-get "
echo \"\$*\" >> $PWD/apt
[ \"\$1\" != update ] || exit \$(cat $PWD/update)
for package; do
	! echo \"\$package\" | grep -qxf $PWD/unknown || exit 100
done"
: > absent
: > unknown
echo 0 > update

# apt_got WORD: prints the last call of apt-get that installs WORD
apt_got() {
	grep "^install .* $1\( \|\$\)" apt > got || fail "apt-get was not asked to install $1: $(cat apt)"
	tail -n 1 got
}

# A requirement of a test is installed with all that its .pc file requires, and is still missing:
# the tests run.
zlib="Package 'zlib', required by 'libkdumpfile', not found"
echo "libkdumpfile $zlib" > absent
quickstart check 0
head -n 1 out | grep -q '^this takes about ' || fail "it installs before it says how long it takes: $(cat out)"
apt_got libkdumpfile-dev > last
grep -q ' zlib1g-dev' last || fail "libkdumpfile-dev alone is not enough: $(cat last)"
grep -qx "libkdumpfile: not found: $zlib; the tests that need it will be skipped" out || fail "$(cat out err)"
grep -q ' check$' made || fail "the tests were not run: $(cat made)"

# A package that apt does not know does not prevent the installation of others.
echo "check Package 'check' not found" >> absent
echo libkdumpfile-dev > unknown
quickstart check 0
apt_got check > last
if grep libkdumpfile-dev last; then
	fail 'check was not installed alone'
fi
grep -qx "check: not found: Package 'check' not found; the tests that need it will be skipped" out ||
	fail "$(cat out err)"
grep -q ' check$' made || fail "the tests were not run: $(cat made)"

# The same without a mirror.
echo 100 > update
quickstart check 0
grep -q '^command failed: .*apt-get update; see .*/quickstart.log$' out || fail "$(cat out err)"
grep -q ' check$' made || fail "the tests were not run: $(cat made)"
echo 0 > update

# The demo needs none of this.  It ends here where it would make its core.
stub mkfakevmcore 'exit 1'
quickstart demo 1
[ ! -e apt ] || fail "the demo installs what it does not need: $(cat apt)"
if grep libkdumpfile out err; then
	fail 'the demo lists requirements of the tests'
fi

# The requirements of the build must exist.
echo "lzo2 Package 'lzo2' not found" > absent
: > unknown
for command in demo check; do
	quickstart $command 1
	apt_got liblzo2-dev > last
	expect_err "lzo2: not found: Package 'lzo2' not found
quickstart: installed, but not found: liblzo2-dev "
	absent made
done
