#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members that go to other machines over ssh, and what is left of them when one is killed, cut off,
# or full: the same core.
# shellcheck source=tests/remote/lib.sh
. "${srcdir:?}/tests/remote/lib.sh"

need ssh sshd ssh-keygen age

mkdir -m 700 home/.ssh
ssh-keygen -q -t ed25519 -N '' -C capture -f home/.ssh/id_ed25519
# But for its patience.
sed -n '/^    Host /,/^$/s/^    //p' "$srcdir/doc/remote.md" |
	sed 's/\(ServerAliveInterval\) .*/\1 1/; s/\(ServerAliveCountMax\) .*/\1 2/' > home/.ssh/config
[ -s home/.ssh/config ] || fail "doc/remote.md tells no configuration of ssh"

# ssh_host NAME: a machine with sshd, which knows the key of this one, and a small disk
ssh_host() {
	host "$1"
	make_tmpfs "$1/small" 1M
	mkdir "$1/.ssh"
	cp home/.ssh/id_ed25519.pub "$1/.ssh/authorized_keys"
	ssh-keygen -q -t ed25519 -N '' -C "$1" -f "$1/.ssh/host_key"
	# As the machine's name is no name of the domain system here.
	printf 'Host %s\n\tHostName %s\n\tHostKeyAlias %s\n' "$1" "$address" "$1" >> home/.ssh/config
	printf '%s %s\n' "$1" "$(cat "$1/.ssh/host_key.pub")" >> home/.ssh/known_hosts
	cat > "$1/.ssh/sshd_config" << END
HostKey "$lib_dir/$1/.ssh/host_key"
AuthorizedKeysFile "$lib_dir/$1/.ssh/authorized_keys"
# The directory is below one that is everybody's.
StrictModes no
PidFile none
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
END
	serving "$1" 'Server listening' "$(command -v sshd)" -D -e -f "$lib_dir/$1/.ssh/sshd_config"
}

# sessions HOST: the processes of sshd there that serve a connection
sessions() {
	for pid in $(ip netns pids "$1"); do
		case $(tr '\0' ' ' < "/proc/$pid/cmdline") in
		'sshd: root@notty '*) printf '%s\n' "$pid" ;;
		esac
	done
}

# left MEMBER...: they are all of the core, read through ssh
left() {
	expect_status 0 bash -c "njoin -q -o copy $*"
	expect_err ""
	same copy core
	rm copy
}

ssh_host h1
ssh_host h2
mkfakevmcore -s 16M -p random core

# As the manual tells it.
expect_status 0 as_documented "nsplit -c /proc/vmcore '|ssh h1 \"umask 077; cat > a\"' '|ssh h2 \"umask 077; cat > a\"'"
closed h1/a h2/a
[ "$(stat -c %a h1/a h2/a | tr '\n' ' ')" = '600 600 ' ] || fail 'others may read it'
expect_status 0 as_documented 'njoin -o copy <(ssh h1 cat a) <(ssh h2 cat a)'
same copy core
rm copy h1/a h2/a

# With one command for all of them.
expect_status 0 as_documented "nsplit -c --filter='ssh \"\${FILE%%:*}\" \"umask 077; cat > \${FILE#*:}\"' /proc/vmcore h1:a h2:a"
if grep -q 'command ended' err; then
	fail "$(cat err)"
fi
closed h1/a h2/a
rm h1/a h2/a

# Another one only if the disks here are full.
make_tmpfs disk0 1M
expect_status 0 as_documented "nsplit -c --fallback='|ssh h1 \"umask 077; cat > a\"' /proc/vmcore disk0/a"
closed h1/a
expect_status 0 njoin -q -o copy disk0/a h1/a
same copy core
rm copy h1/a

# No disk is left at the other end, or what took it all fails at last.
expect_status 0 nsplit -q --stripe core '|ssh h1 "cat > a"' '|ssh h2 "cat > small/a"'
said 'nsplit: |ssh h2 "cat > small/a": exited with status 1 before reading all of its input; given up, continuing on 1 output'
grep -q 'No space left on device' err || fail "ssh does not say why: $(cat err)"
left '<(ssh h1 cat a)'
expect_status 0 nsplit -q core '|ssh h1 "cat > a"' '|ssh h2 "cat > a; exit 3"'
said 'nsplit: |ssh h2 "cat > a; exit 3": exited with status 3; given up, continuing on 1 output'
left '<(ssh h1 cat a)'

# Encrypted on the way, and read there.
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

# No name of a host, no key, no password to be asked for: told, and the other one has it all.
expect_status 0 nsplit -q core '|ssh nowhere cat' a
said 'nsplit: |ssh nowhere cat: exited with status 255 before reading all of its input; given up, continuing on 1 output'
expect_joined core a
rm a h2/a
mv home/.ssh/id_ed25519 home/.ssh/kept
expect_status 0 nsplit -q core '|ssh h2 "cat > a"' a
said 'nsplit: |ssh h2 "cat > a": exited with status 255 before reading all of its input; given up, continuing on 1 output'
grep -q 'Permission denied (publickey)' err || fail "ssh does not say why: $(cat err)"
absent h2/a
expect_joined core a
rm a
mv home/.ssh/kept home/.ssh/id_ed25519

# capturing OPTION...: two hosts, and the second one has got half of what it would
capturing() {
	rm -f h1/a h2/a
	nsplit -q --stripe --chunksize=64K "$@" core '|ssh h1 "cat > a"' \
		'|held 2000000 | ssh h2 "cat > a"' 2> err &
	nsplit=$!
	kill_at_exit $nsplit
	wait_for at_least 2000000 h2/a
	[ "$(wc -c < h2/a)" -eq 2000000 ] || fail "h2 has got too much: $(wc -c < h2/a)"
}

# One of them is killed at half.
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
	# And what came to h2 is of use as far as it goes.
	expect_status 3 bash -c 'njoin -q --salvage -o copy <(ssh h1 cat a) <(ssh h2 cat a)'
	grep -qx 'njoin: /dev/fd/6[0-9]: cut short: it ends in the record at byte [0-9]*' err ||
		fail "njoin --salvage: $(cat err)"
	same copy core
	rm copy
done

# Its cable is pulled out: ssh finds that there is no answer.
capturing
unplugged h2
go_on
ended 0
said 'nsplit: |held 2000000 | ssh h2 "cat > a": exited with status 255 before reading all of its input; given up, continuing on 1 output'
left '<(ssh h1 cat a)'
plugged h2
wait_for ssh h2 true

# Where ssh does not ask for an answer, it is nsplit that does not wait.
sed -i '/ServerAlive/d' home/.ssh/config
capturing --sink-timeout=3
unplugged h2
go_on
ended 0
said 'nsplit: |held 2000000 | ssh h2 "cat > a": no answer for 3 s; given up, continuing on 1 output'
left '<(ssh h1 cat a)'
plugged h2
