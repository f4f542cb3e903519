# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The beginning of the scripts with other machines.  The script runs a second time, in its own network,
# process and mount namespaces: everything that it starts, mounts and connects ends with its first
# process, however that ends, and is invisible outside.  This second run is the machine that captures; its
# home is the directory "home".  host() creates other machines.
# shellcheck source=tests/system/lib.sh
. "${srcdir:?}/tests/system/lib.sh"

PATH=$PATH:/usr/sbin:/sbin

# --- outside ----------------------------------------------------------------

# A process in the namespaces may still be writing.
remote_outer_clean() {
	cd /
	retry rm -rf "$lib_dir"
}

# If this process ends, or gets a signal, the other one is killed.
remote_run_inside() {
	need_root "a network of its own"
	need unshare setpriv mount ip bash
	unshare --net --pid --mount --fork --mount-proc mount -t tmpfs tmpfs /run 2> unshare.err ||
		skip "no namespaces: $(cat unshare.err)"
	lib_clean() { remote_outer_clean; }
	REMOTE_INSIDE=yes TMPDIR=$lib_dir setpriv --pdeathsig KILL \
		unshare --net --pid --mount --fork --kill-child --mount-proc \
		sh "$srcdir/tests/remote/${0##*/}" &
	kill_at_exit $!
	remote_status=0
	wait $! || remote_status=$?
	exit $remote_status
}

# --- inside: machines and cables --------------------------------------------

remote_hosts=0
nsplit=			# its process, in the background

# The users of each machine: root, whose home is DIRECTORY, and the user that sshd requires.
remote_users='mount --bind "$1.passwd" /etc/passwd && mount --bind "$1.shadow" /etc/shadow'

# remote_home DIRECTORY: makes a home, and the users of that machine
remote_home() {
	mkdir "$1"
	printf '%s\n' "root:x:0:0:root:$1:/bin/sh" \
		"sshd:x:65533:65534:sshd:/run/sshd:/bin/false" > "$1.passwd"
	printf '%s\n' 'root:*:::::::' 'sshd:*:::::::' > "$1.shadow"
}

remote_inside() {
	# The names of networks, and sshd's directory, are in /run.
	mount -t tmpfs tmpfs /run
	mkdir /run/sshd
	ip link set lo up
	remote_home "$lib_dir/home"
	sh -c "$remote_users" sh "$lib_dir/home"
	HOME=$lib_dir/home
	export HOME
	unset SSH_AUTH_SOCK XDG_CONFIG_HOME XDG_CACHE_HOME
}

# host NAME: makes a machine of that name at the other end of a cable of that name, with its files
# in the directory NAME, which is root's home there; sets address
host() {
	remote_hosts=$((remote_hosts + 1))
	address=10.77.$remote_hosts.2
	remote_home "$lib_dir/$1"
	ip netns add "$1"
	ip link add "$1" type veth peer name eth0 netns "$1"
	ip address add "10.77.$remote_hosts.1/24" dev "$1"
	ip link set "$1" up
	ip -n "$1" address add "$address/24" dev eth0
	ip -n "$1" link set lo up
	ip -n "$1" link set eth0 up
}

# on HOST COMMAND...: runs it there, in root's home, in place of this process
on() {
	remote_host=$1
	shift
	exec ip netns exec "$remote_host" sh -c "$remote_users"' && cd "$1" && HOME=$1 && export HOME &&
		shift && exec "$@"' sh "$lib_dir/$remote_host" "$@"
}

# serving HOST LINE COMMAND...: starts a server there, waits until HOST.log contains LINE, and sets
# server to its process id
serving() {
	remote_host=$1 remote_line=$2
	shift 2
	: > "$remote_host.log"
	on "$remote_host" "$@" >> "$remote_host.log" 2>&1 &
	server=$!
	kill_at_exit $server
	wait_for remote_serves
}

remote_serves() {
	kill -0 $server 2> kill.err || fail "the server on $remote_host has ended: $(cat "$remote_host.log")"
	grep -q "$remote_line" "$remote_host.log"
}

# unplugged HOST: disconnects its cable, at its end
unplugged() {
	ip -n "$1" link set eth0 down
}

# plugged HOST: connects it again, and clears the failed addresses that were cached
plugged() {
	ip -n "$1" link set eth0 up
	ip neighbour flush dev "$1"
}

# --- inside: commands -------------------------------------------------------

# A filter for pipelines: "held BYTES" copies BYTES at once, and the rest after go_on.
remote_held() {
	mkdir bin
	cat > bin/held << 'END'
#!/bin/sh
head -c "$1"
until [ -e go ]; do
	sleep 0.05
done
cat
END
	chmod +x bin/held
	PATH=$lib_dir/bin:$PATH
}

go_on() {
	: > go
}

# ended STATUS: nsplit, process $nsplit, ends with STATUS
ended() {
	expect_end "$1" "$nsplit"
	rm -f go
}

# said LINE...: err contains exactly these lines of nsplit's, in this order; the lines of its
# commands are not compared
said() {
	printf '%s\n' "$@" > said.want
	grep '^nsplit: ' err > said.got || :
	cmp -s said.want said.got || fail "expected from nsplit: $(cat said.want)
and all that was said is: $(cat err)"
}

[ -n "${REMOTE_INSIDE-}" ] || remote_run_inside
remote_inside
remote_held
