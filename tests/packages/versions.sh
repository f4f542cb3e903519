#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The packages have the version of the programs.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

nsplit --version | sed -n '1s/.* //p' > want
sed -n '1s/^nsplit (\(.*\)) .*/\1/p' "$srcdir/debian/changelog" > deb
same deb want
sed -n 's/^Version: *//p' "$builddir/packages/nsplit.spec" > rpm
same rpm want
