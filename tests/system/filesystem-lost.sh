#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# If a file system is lost during the capture, only its file is lost.
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
	expect_end 0 $nsplit "$direct"
	expect_err "nsplit: under/a: Input/output error; given up, continuing on 2 outputs
nsplit: under/a: could not be removed: Input/output error; it is not needed"
	expect_joined core other piped

	# After the power returns, the disk contains old data or none, but nothing wrong.
	umount under
	# A copy: if a mount namespace made meanwhile still has the file system, mount would show it as it is, shut down.
	cp --sparse=always under.image again.image
	mount -o loop again.image under
	if [ -e under/a ]; then
		njoin -q --overwrite-dumps -o joined under/a other piped 2> err || fail "$direct: $(cat err)"
		same joined core
		# Status 3 if the journal was committed before the loss: then under/a holds records and
		# no footer, which njoin reports, although the others hold everything.
		status=0
		njoin -q --overwrite-dumps --salvage -o joined under/a other piped 2> err || status=$?
		case $status:$(cat err) in
		0:) ;;
		"3:njoin: under/a: has no footer at byte "*) ;;
		*) fail "$direct: njoin: status $status: $(cat err)" ;;
		esac
		same joined core
	fi
	umount under
	rmdir under
	rm under.image again.image
done
