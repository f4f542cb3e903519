#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members that rclone sends to WebDAV and SFTP servers, which are rclone itself: the joined core is
# the same, and complete although a server is killed during the capture.
# shellcheck source=tests/remote/rclone-lib.sh
. "${srcdir:?}/tests/remote/rclone-lib.sh"

need ssh-keygen

mkdir -m 700 home/.ssh
ssh-keygen -q -t ed25519 -N '' -C capture -f home/.ssh/id_ed25519
ssh-keygen -q -t ed25519 -N '' -C host -f host_key

# sftp_server HOST: rclone serves the directory HOST/served
sftp_server() {
	printf '%s %s\n' "$address" "$(cat host_key.pub)" >> home/.ssh/known_hosts
	sed "s/^\\[h1\\]/[$1]/; s/ADDRESS/$address/" sftp.conf >> "$RCLONE_CONFIG"
	serving "$1" 'SFTP server listening' rclone serve sftp --addr "$address:22" --user root \
		--key "$lib_dir/host_key" --authorized-keys "$lib_dir/home/.ssh/id_ed25519.pub" served
}

webdav_server() {
	sed "s/^\\[h1\\]/[$1]/; s/ADDRESS/$address/" webdav.conf >> "$RCLONE_CONFIG"
	serving "$1" 'WebDav Server started' rclone serve webdav --addr "$address:8080" served
}

mkfakevmcore -s 8M -p random core
documented_remote sftp
documented_remote webdav
host h1
h1=$address
host h2
h2=$address

for kind in sftp webdav; do
	rm -rf h1/served h2/served "$RCLONE_CONFIG"
	mkdir -p h1/served h2/served
	address=$h1 && ${kind}_server h1
	address=$h2 && ${kind}_server h2
	dead=$server

	rclone_as_documented

	# One of the servers is killed after it has received a part.
	capturing 2000000
	wait_for at_least 1000000 h2/served/dumps/a
	kill -s KILL "$dead"
	lost
done
