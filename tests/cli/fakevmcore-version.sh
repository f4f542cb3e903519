#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel module has the same version as the programs.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

expect_status 0 mkfakevmcore --version
sed 's/.* //' out > want
sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$srcdir/fakevmcore/dkms.conf" > got
[ -s got ] || fail 'dkms.conf has no version'
same got want
