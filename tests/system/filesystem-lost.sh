#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A file system that is lost under the capture takes its file along, and nothing else.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

need python3
mkfakevmcore -s 8M -p random core

for direct in auto never; do
	make_ext4 under 64M
	rm -f other pipe
	mkfifo pipe
	nsplit -q --stripe --chunksize=64K --direct=$direct core under/a other pipe 2> err &
	nsplit=$!
	kill_at_exit $nsplit
	exec 3< pipe
	wait_for at_least 200000 under/a
	lose under
	cat <&3 > piped
	exec 3<&-
	status=0
	wait $nsplit || status=$?
	[ $status -eq 0 ] || fail "$direct: status $status: $(cat err)"
	expect_err "nsplit: under/a: Input/output error; given up, continuing on 2 outputs"
	expect_joined core other piped

	# The power is back: what lies on the disk is old, or nothing, and never wrong.
	umount under
	mount -o loop under.image under
	if [ -e under/a ]; then
		expect_status 0 njoin -q -f --salvage -o joined under/a other piped
		same joined core
	fi
	umount under
	rmdir under
	rm under.image
done
