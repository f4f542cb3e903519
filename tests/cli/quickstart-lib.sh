# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The beginning of the tests of quickstart: lib.sh, and a tree with a copy of quickstart.  Nothing is
# built or installed: all that quickstart looks for to build is a stub.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkdir bin tree
cp "$srcdir/quickstart" tree/
unset CC

# stub NAME COMMANDS
stub() {
	printf '#!/bin/sh\n%s\n' "$2" > "bin/$1"
	chmod +x "bin/$1"
}

stub gcc ''
stub autoconf ''
stub automake ''
stub autoreconf 'printf "#!/bin/sh\n" > configure && chmod +x configure'
stub apt-get ''
stub pkg-config ''
stub id 'echo 0'
PATH=$PWD/bin:$PATH

# quickstart COMMAND STATUS
quickstart() {
	rm -f apt made
	expect_status "$2" sh tree/quickstart "$1"
}
