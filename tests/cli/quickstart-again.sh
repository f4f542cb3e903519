#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ./quickstart can be run again.  It configures only if something has changed, since configure removes
# files called core or *.core.
# shellcheck source=tests/cli/quickstart-lib.sh
. "${srcdir:?}/tests/cli/quickstart-lib.sh"

stub make ''
# The demo ends here, where it would make its core.
stub mkfakevmcore 'exit 1'
# As configure ends.
stub autoreconf 'printf "#!/bin/sh\nrm -f core *.core\ntouch Makefile\n" > configure && chmod +x configure && touch Makefile.in'
mkdir libraries
stub pkg-config "case \$* in *pc_path*) echo $PWD/absent:$PWD/libraries ;; esac"
touch tree/configure.ac tree/Makefile.am
mkdir -p tree/build tree/src/base tree/tests
touch tree/src/base/local.mk tree/tests/local.mk

# run WHAT: "configuring" is printed if WHAT is yes, and not if it is no
run() {
	quickstart demo 1
	found=no
	! grep -qx 'configuring' out || found=yes
	[ $found = "$1" ] || fail "$1 was expected: $(cat out err)"
}

run yes
echo precious > tree/build/core
run no
[ "$(cat tree/build/core)" = precious ] || fail 'the core in build/ has changed'

# A library has been installed, and then another one.
touch libraries/check.pc
run yes
run no
touch libraries/kdumpfile.pc
run yes
run no

# A newer version of nsplit.
touch tree/configure.ac
run yes
run no

# "make distclean" leaves the stamp.
rm tree/build/Makefile
run yes
run no

# configure did not run to its end.
echo 'exit 1' >> tree/configure
run yes
run yes

# What is installed after it has no assertions, and an earlier build that has them is configured again.
sed -n '/\.\.\/configure/p' tree/quickstart | grep -qF '$release' || fail "configure has no arguments"
grep -qx 'release=--disable-assert' tree/quickstart || fail "a build with assertions"
