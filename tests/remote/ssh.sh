#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members that ssh sends to other machines, of which one is killed, cut off, or full: the joined
# core is the same.
# shellcheck source=tests/remote/lib.sh
. "${srcdir:?}/tests/remote/lib.sh"

need ssh sshd ssh-keygen age

mkdir -m 700 home/.ssh
ssh-keygen -q -t ed25519 -N '' -C capture -f home/.ssh/id_ed25519
# With shorter time-outs.
sed -n '/^    Host /,/^$/s/^    //p' "$srcdir/doc/remote.md" |
	sed 's/\(ServerAliveInterval\) .*/\1 1/; s/\(ServerAliveCountMax\) .*/\1 2/' > home/.ssh/config
[ -s home/.ssh/config ] || fail "not in doc/remote.md: a configuration of ssh"

# ssh_host NAME: makes a machine with sshd, which accepts the key of this one, and a small disk
ssh_host() {
	host "$1"
	make_tmpfs "$1/small" 1M
	mkdir "$1/.ssh"
	cp home/.ssh/id_ed25519.pub "$1/.ssh/authorized_keys"
	ssh-keygen -q -t ed25519 -N '' -C "$1" -f "$1/.ssh/host_key"
	# The names of the machines are not in the DNS.
	printf 'Host %s\n\tHostName %s\n\tHostKeyAlias %s\n' "$1" "$address" "$1" >> home/.ssh/config
	printf '%s %s\n' "$1" "$(cat "$1/.ssh/host_key.pub")" >> home/.ssh/known_hosts
	cat > "$1/.ssh/sshd_config" << END
HostKey "$lib_dir/$1/.ssh/host_key"
AuthorizedKeysFile "$lib_dir/$1/.ssh/authorized_keys"
# The directory is below one that everybody may write to.
StrictModes no
PidFile none
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
END
	serving "$1" 'Server listening' "$(command -v sshd)" -D -e -f "$lib_dir/$1/.ssh/sshd_config"
}

# sessions HOST: prints the processes of sshd there that serve a connection
sessions() {
	for pid in $(ip netns pids "$1"); do
		case $(tr '\0' ' ' < "/proc/$pid/cmdline") in
		'sshd: root@notty '*) printf '%s\n' "$pid" ;;
		esac
	done
}

# left MEMBER...: together, read through ssh, they give the core
left() {
	expect_status 0 bash -c "njoin -q -o copy $*"
	expect_err ""
	same copy core
	rm copy
}

ssh_host h1
ssh_host h2
mkfakevmcore -s 16M -p random core

# As in doc/remote.md.
expect_status 0 as_documented "nsplit -c /proc/vmcore '|ssh h1 \"umask 077; cat > a\"' '|ssh h2 \"umask 077; cat > a\"'"
closed h1/a h2/a
[ "$(stat -c %a h1/a h2/a | tr '\n' ' ')" = '600 600 ' ] || fail 'others may read it'
expect_status 0 as_documented 'njoin -o copy <(ssh h1 cat a) <(ssh h2 cat a)'
same copy core
rm copy h1/a h2/a

# A flattened dump, of which a plain one is made at the other end.
expect_status 0 as_documented "nsplit -c -d 31 --format=kdump /proc/vmcore '|ssh h1 \"umask 077; cat > vmcore.flat\"'"
mv h1/vmcore.flat vmcore.flat
expect_status 0 as_documented 'njoin -o vmcore.kdump vmcore.flat'
expect_status 0 njoin -q --format=elf -o copy vmcore.kdump
expect_status 0 njoin -q --format=kdump -o whole core
expect_status 0 njoin -q --format=elf -o want whole
same copy want
rm copy want whole vmcore.flat vmcore.kdump

# With one command for all of them.
expect_status 0 as_documented "nsplit -c --filter='ssh \"\${FILE%%:*}\" \"umask 077; cat > \${FILE#*:}\"' /proc/vmcore h1:a h2:a"
if grep -q 'command ended' err; then
	fail "$(cat err)"
fi
closed h1/a h2/a
rm h1/a h2/a

# A fallback, which is used if the disks here are full.
make_tmpfs disk0 1M
expect_status 0 as_documented "nsplit -c --fallback='|ssh h1 \"umask 077; cat > a\"' /proc/vmcore disk0/a"
closed h1/a
expect_status 0 njoin -q -o copy disk0/a h1/a
same copy core
rm copy h1/a

# The disk at the other end is full, or a command fails after it has read everything.
expect_status 0 nsplit -q --stripe core '|ssh h1 "cat > a"' '|ssh h2 "cat > small/a"'
said 'nsplit: |ssh h2 "cat > small/a": exited with status 1 before reading all of its input; given up, continuing on 1 output'
grep -q 'No space left on device' err || fail "no reason from ssh: $(cat err)"
left '<(ssh h1 cat a)'
expect_status 0 nsplit -q core '|ssh h1 "cat > a"' '|ssh h2 "cat > a; exit 3"'
said 'nsplit: |ssh h2 "cat > a; exit 3": exited with status 3; given up, continuing on 1 output'
left '<(ssh h1 cat a)'

# Encrypted before the transfer, and read there.
age-keygen -o key 2> keygen.err
public=$(age-keygen -y key)
expect_status 0 as_documented 'nsplit -c /proc/vmcore '"'"'|bash -o pipefail -c "age -r PUBLIC | ssh h1 \"umask 077; cat > a.age\""'"'"
expect_status 0 as_documented 'njoin -o copy <(ssh h1 cat a.age | age -d -i key)'
same copy core
rm copy
rm h1/a.age
expect_status 0 as_documented 'nsplit -c --filter='"'"'age -r PUBLIC > "$FILE"'"'"' --fallback=disk0/b.age /proc/vmcore '"'"'|bash -o pipefail -c "age -r PUBLIC | ssh h{1..2} \"umask 077; cat > a.age\""'"'"''
absent disk0/b.age
expect_status 0 bash -c 'njoin -q -o copy <(ssh h1 cat a.age | age -d -i key) <(ssh h2 cat a.age | age -d -i key)'
same copy core
rm copy h1/a.age h2/a.age

# An unknown host, a missing key, and a password, which nobody could type: reported, and the other
# output has everything.
expect_status 0 nsplit -q core '|ssh nowhere cat' a
said 'nsplit: |ssh nowhere cat: exited with status 255 before reading all of its input; given up, continuing on 1 output'
expect_joined core a
rm a h2/a
mv home/.ssh/id_ed25519 home/.ssh/kept
expect_status 0 nsplit -q core '|ssh h2 "cat > a"' a
said 'nsplit: |ssh h2 "cat > a": exited with status 255 before reading all of its input; given up, continuing on 1 output'
grep -q 'Permission denied (publickey)' err || fail "no reason from ssh: $(cat err)"
absent h2/a
expect_joined core a
rm a
mv home/.ssh/kept home/.ssh/id_ed25519

# capturing OPTION...: captures to two hosts, until the second one has received half of its share
capturing() {
	rm -f h1/a h2/a
	nsplit -q --stripe --chunksize=64K "$@" core '|ssh h1 "cat > a"' \
		'|held 2000000 | ssh h2 "cat > a"' 2> err &
	nsplit=$!
	kill_at_exit $nsplit
	wait_for at_least 2000000 h2/a
	[ "$(wc -c < h2/a)" -eq 2000000 ] || fail "h2 has received too much: $(wc -c < h2/a)"
}

# One of them is killed then.
for engine in -j2 --serial; do
	capturing $engine
	killed=$(sessions h2)
	[ -n "$killed" ] || fail "no sshd serves h2"
	# shellcheck disable=SC2086 # a list
	kill -s KILL $killed
	go_on
	ended 0
	said 'nsplit: |held 2000000 | ssh h2 "cat > a": exited with status 255 before reading all of its input; given up, continuing on 1 output'
	left '<(ssh h1 cat a)'
	expect_status 0 as_documented 'njoin -o copy <(ssh h1 cat a)'
	same copy core
	rm copy
	# The part that h2 received can be used.
	expect_status 3 bash -c 'njoin -q --salvage -o copy <(ssh h1 cat a) <(ssh h2 cat a)'
	grep -qx 'njoin: /dev/fd/6[0-9]: cut short: it ends in the record at byte [0-9]*' err ||
		fail "njoin --salvage: $(cat err)"
	same copy core
	rm copy
done

# Its cable is disconnected: ssh notices that there is no answer.
capturing
unplugged h2
go_on
ended 0
said 'nsplit: |held 2000000 | ssh h2 "cat > a": exited with status 255 before reading all of its input; given up, continuing on 1 output'
left '<(ssh h1 cat a)'
plugged h2
wait_for ssh h2 true

# Without ServerAlive, ssh waits, and nsplit gives the output up.
sed -i '/ServerAlive/d' home/.ssh/config
capturing --sink-timeout=3
unplugged h2
go_on
ended 0
said 'nsplit: |held 2000000 | ssh h2 "cat > a": no answer for 3 s; given up, continuing on 1 output'
left '<(ssh h1 cat a)'
plugged h2
