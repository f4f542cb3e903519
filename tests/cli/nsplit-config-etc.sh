#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# /etc/nsplit.conf is read if it exists.  The test mounts its own directory on /etc.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need unshare mount
need_root "mounting an /etc of its own"
unshare -m true 2> /dev/null || skip "no mount namespace may be made here"

echo data > core
mkdir etc
unset NSPLIT_CONFIG

# with_etc STATUS ARGUMENT...: runs nsplit with the directory etc as /etc
with_etc() {
	status=$1
	shift
	# shellcheck disable=SC2016 # for the other shell
	expect_status "$status" unshare -m sh -c 'mount --bind etc /etc && exec "$@"' sh nsplit "$@"
}

with_etc 0 -n -j1 core new
expect_err ""
[ "$(head -n 1 out)" = 'source: core, 5 B' ] || fail "$(cat out)"

echo 'threads = 9' > etc/nsplit.conf
with_etc 0 -n core new
head -n 1 out | grep -qx 'configuration: /etc/nsplit.conf' || fail "$(cat out)"
grep -qx 'threads: 9' out || fail "$(cat out)"
with_etc 0 -n -j1 --no-config core new
! grep -q 'configuration' out || fail "$(cat out)"

echo 'frob = 9' > etc/nsplit.conf
with_etc 2 core new
expect_err "nsplit: /etc/nsplit.conf:1: unknown key 'frob'; see nsplit.conf(5)"
with_etc 0 -q --no-config core new
closed new

rm etc/nsplit.conf
mkdir etc/nsplit.conf
with_etc 2 core other
expect_err "nsplit: /etc/nsplit.conf: is not a regular file"
absent other
