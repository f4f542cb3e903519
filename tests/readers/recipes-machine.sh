# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Part of recipes.sh: the machine that captures.  It has the files of this one, as the lower layer of an overlay;
# the program as makedumpfile, and no other; the core as /proc/vmcore; a console that is a file; and sshd on
# 127.0.0.1, in a network of its own, so that it is the other machine, too.

# All files of a machine are in the directory $scratch/WHO.
machine=
root=

# machine_keys: makes the keys of ssh for all machines; says if ssh is a stub
machine_keys() {
	ssh=real
	for program in sshd ssh scp ssh-keygen; do
		have "$program" || ssh=stub
	done
	[ $ssh = real ] || {
		echo 'ssh: sshd is not installed; a stub of ssh runs the commands here.' >> notes
		return
	}
	for key in kdump_id_rsa host_key; do
		ssh-keygen -q -t ed25519 -N '' -C $key -f $key || missing 'ssh-keygen has failed'
	done
}

# machine_use WHO: makes it the machine that the functions below work on
machine_use() {
	machine=${scratch:?}/$1
	root=$machine/root
}

# machine_on WHO: makes the machine, with the program of WHO as makedumpfile
machine_on() {
	machine_use "$1"
	mkdir -p "$machine/upper" "$machine/work" "$root"
	mount -t overlay overlay -o "lowerdir=/,upperdir=$machine/upper,workdir=$machine/work" "$root" ||
		missing "no overlay can be mounted; set TMPDIR to a directory on ext4 or tmpfs"
	mount -t tmpfs tmpfs "$root/tmp"
	mount -t tmpfs tmpfs "$root/run"
	# No program may find out about the devices of this machine, or blink its lights.
	mount -t tmpfs tmpfs "$root/sys"
	machine_dev
	machine_proc
	machine_files
	case $1 in
	original) machine_programs "$root/usr/sbin" "$root/other" ;;
	*) machine_programs "$root/other" "$root/usr/sbin" ;;
	esac
	machine_ssh
}

machine_dev() {
	mount -t tmpfs tmpfs "$root/dev"
	for device in null zero full random urandom; do
		cp -a "/dev/$device" "$root/dev"
	done
	ln -s /proc/self/fd "$root/dev/fd"
	: > "$root/dev/console"
}

# machine_proc: /proc is a directory of links to the real one, since nothing can be added to that
machine_proc() {
	mkdir "$root/run/proc"
	mount -t proc proc "$root/run/proc"
	mount -t tmpfs tmpfs "$root/proc"
	for file in "$root/run/proc"/[a-z]*; do
		ln -s "/run/proc/${file##*/}" "$root/proc"
	done
	: > "$root/proc/vmcore"
	mount --bind "${core:?}" "$root/proc/vmcore"
	mount -o remount,bind,ro "$root/proc/vmcore"
}

# in_machine FUNCTION: runs a command line, which FUNCTION prints, behind the name of its shell, in the machine
in_machine() {
	"$1" > "$machine/line"
	# The first line may be "bash -o pipefail", for example.
	read -r shell < "$machine/line"
	sed 1d "$machine/line" > "$root/tmp/recipe"
	# shellcheck disable=SC2086 # words
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
		chroot "$root" $shell /tmp/recipe < /dev/null
}

# machine_sh [ARGUMENT...]: runs the commands of standard input in the machine.  They change system files, so they run
# only where there is a /proc/vmcore, which this machine does not have.
machine_sh() {
	{ echo '[ -e /proc/vmcore ] || exit 1'; cat; } | chroot "$root" sh -eus "$@" ||
		missing 'the files of the machine cannot be changed'
}

machine_files() {
	machine_sh <<- 'END'
		for directory in /usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin; do
			rm -f "$directory/makedumpfile" "$directory/makedumpfile.distrib" "$directory/nsplit"
		done
		rm -rf /root/.ssh /var/crash /other /etc/nsplit.conf /etc/kdump.conf /etc/default/kdump-tools
		mkdir -p -m 755 /var/crash /other
		mkdir -p -m 700 /root/.ssh
	END
}

# machine_programs ORIGINAL OURS: installs them in these directories
machine_programs() {
	cp "${original:?}" "$1/makedumpfile"
	cp "${builddir:?}/nsplit" "$2/nsplit"
	ln -s nsplit "$2/makedumpfile"
}

# stub NAME: replaces a program of the machine by the commands on standard input
stub() {
	{
		cat <<- 'END'
			name=$1
			for directory in /usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin; do
				rm -f "$directory/$name"
			done
			cat > "/usr/sbin/$name" << 'STUB'
			#!/bin/sh
		END
		cat
		cat <<- 'END'
			STUB
			chmod 755 "/usr/sbin/$name"
		END
	} | machine_sh "$1"
}

machine_ssh() {
	case $ssh in
	real) machine_sshd ;;
	*) machine_ssh_stub ;;
	esac
}

# machine_sshd: the port is the usual one, since command lines name none; no other process is in this network
machine_sshd() {
	cp kdump_id_rsa "$root/root/.ssh"
	cp kdump_id_rsa.pub "$root/root/.ssh/authorized_keys"
	cp host_key "$root/etc/ssh/recipes_key"
	printf '127.0.0.1 %s\n' "$(cat host_key.pub)" > "$root/root/.ssh/known_hosts"
	printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' 'sshd:x:65533:65534:sshd:/run/sshd:/bin/false' > "$root/etc/passwd"
	printf '%s\n' 'root:*:::::::' 'sshd:*:::::::' > "$root/etc/shadow"
	mkdir -p "$root/run/sshd"
	printf '%s\n' 'ListenAddress 127.0.0.1' 'HostKey /etc/ssh/recipes_key' 'StrictModes no' 'PidFile none' \
		'UsePAM no' 'PasswordAuthentication no' 'PermitRootLogin prohibit-password' \
		'Subsystem sftp internal-sftp' > "$root/etc/ssh/recipes_config"
	: > "$machine/sshd.log"
	chroot "$root" "$(command -v sshd)" -D -e -f /etc/ssh/recipes_config 2> "$machine/sshd.log" &
	sshd=$!
	tries=0
	until grep -q 'Server listening' "$machine/sshd.log"; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || missing "sshd does not start: $(cat "$machine/sshd.log")"
		sleep 0.05
	done
}

# The options that the recipes give ssh and scp, of which some have an argument.
# shellcheck disable=SC2016 # it runs in the stub
ssh_options='while :; do case $1 in -i | -o) shift 2 ;; -*) shift ;; *) break ;; esac; done'

machine_ssh_stub() {
	: > "$root/root/.ssh/kdump_id_rsa"
	stub ssh <<- END
		$ssh_options
		shift
		exec sh -c "\$*"
	END
	stub scp <<- END
		$ssh_options
		exec cp "\$1" "\${2#*:}"
	END
}

# machine_ends: ends what runs on it, so that the other one can use the same port, and detaches its device, so that
# everything is in the file
machine_ends() {
	exec 8>&-
	[ "$ssh" = real ] || return 0
	kill "$sshd"
	wait "$sshd"
} 2> /dev/null

# raw_device: makes the device /dev/dump of the machine, a loop device; fails if there is none
raw_device() {
	truncate -s "$(($(wc -c < "$core") * 2))" "$machine/device" &&
		loop=$(losetup -f --show "$machine/device" 2> losetup.err) || return 1
	cp -a "$loop" "$root/dev/dump"
	# Detached as soon as nobody has it open: at the latest when this process ends, however that ends.
	exec 8<> "$root/dev/dump"
	losetup -d "$loop"
}

# raw_target: likewise; a file if there is none
raw_target() {
	raw_device || {
		grep -qs '^raw: ' notes || echo 'raw: there is no loop device; a file is in its place.' >> notes
		ln -s "/device" "$root/dev/dump"
		: > "$root/device"
	}
}

# machine_off WHO
machine_off() {
	machine_use "$1"
	umount -R "$root"
	rm -rf "$machine"
}
