# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Part of recipes.sh: the scripts of distributions, from copies of their sources.  They run as they are, but for programs
# that have nothing to do with the dump, or that would end this machine.

# ignored_programs NAME...: replaces them by one that does nothing
ignored_programs() {
	for name; do
		stub "$name" <<- 'END'
			exit 0
		END
	done
}

# --- kdump-utils ------------------------------------------------------------

# utils_machine LINE...: installs its scripts as its dracut module does, with these lines in kdump.conf
utils_machine() {
	cp "$KDUMP_UTILS/kdump-logger.sh" "$KDUMP_UTILS/kdump-lib-initramfs.sh" "$KDUMP_UTILS/kdump-lib.sh" "${root:?}/lib" &&
		cp "$KDUMP_UTILS/kdumpctl" "$KDUMP_UTILS/mkdumprd" "$root/tmp" &&
		cp "$KDUMP_UTILS/dracut/99kdumpbase/kdump.sh" "$root/usr/bin" || return 1
	cat > "$root/lib/dracut-lib.sh" <<- 'END'
		getarg() { case $1 in kdump_remote_ip=) echo 127.0.0.1 ;; *) return 1 ;; esac; }
		isdigit() { case $1 in '' | *[!0-9]*) return 1 ;; esac; }
		make_trace_mem() { :; }
	END
	printf '%s\n' 'core_collector makedumpfile -l --message-level 7 -d 31' 'path /var/crash' "$@" > "$root/etc/kdump.conf"
	mkdir -p "$root/var/lib" "$root/run/initramfs" "$root/sysroot"
	: > "$root/var/lib/random-seed"
	mkdir "${machine:?}/disk"
	mount --bind "$machine/disk" "$root/sysroot"
	ignored_programs systemctl logger journalctl dmesg
	# The program that saves the log here is another one.
	stub vmcore-dmesg <<- 'END'
		echo log
	END
}

utils_script() {
	cat <<- 'END'
		bash
		. /usr/bin/kdump.sh
	END
}

prepare_utils_fs() {
	utils_machine
}

recipe_utils_fs() {
	utils_script
}

prepare_utils_ssh() {
	utils_machine 'ssh root@127.0.0.1' 'sshkey /root/.ssh/kdump_id_rsa'
}

recipe_utils_ssh() {
	utils_script
}

prepare_utils_raw() {
	utils_machine 'raw /dev/dump'
	raw_device
}

# After the dump, kdumpctl's function that runs after the reboot.
recipe_utils_raw() {
	utils_script
	cat <<- 'END'
		[ $DUMP_RETVAL -eq 0 ] || exit
		eval "$(sed -n '/^save_raw()/,/^}/p' /tmp/kdumpctl)"
		declare -A OPT=([_fstype]=raw [_target]=/dev/dump [path]=/var/crash)
		save_raw
	END
}

prepare_utils_check() {
	utils_machine
}

# The function of mkdumprd that checks the line, for each kind of target.
recipe_utils_check() {
	cat <<- 'END'
		bash
		. /lib/kdump-logger.sh
		. /lib/kdump-lib.sh
		dlog_init
		strstr() { [[ $1 == *"$2"* ]]; }
		perror_exit() { echo "$1"; exit 1; }
		eval "$(sed -n '/^verify_core_collector()/,/^}/p' /tmp/mkdumprd)"
		status=
		try() { (verify_core_collector "$1"); status="$status $?"; }
		try 'makedumpfile -l --message-level 7 -d 31'
		try 'makedumpfile -z --num-threads=2 -d 16,31'
		try 'makedumpfile -E -d 31'
		try 'makedumpfile -E -l -d 31'
		try 'makedumpfile -l -d 32'
		echo 'raw /dev/dump' >> /etc/kdump.conf
		try 'makedumpfile -F -l --message-level 7 -d 31'
		try 'makedumpfile -l --message-level 7 -d 31'
		echo "$status" > /var/crash/status
	END
}

run_kdump_utils() {
	recipe utils_fs
	recipe utils_ssh
	recipe utils_raw
	recipe utils_check status_only
}

# --- kdump of SUSE ----------------------------------------------------------

# suse_machine DIRECTORY PROTOCOL FORMAT: installs the script, with these settings
suse_machine() {
	cp "$SUSE_KDUMP/dracut/kdump-save" "$root/usr/bin" || return 1
	mkdir -p "$root/kdump/mnt"
	echo host > "$root/etc/hostname.kdump"
	printf '%s\n' "KDUMP_SAVEDIR=$1" "KDUMP_PROTO=$2" "KDUMP_DUMPFORMAT=$3" KDUMP_DUMPLEVEL=31 KDUMP_CPUS=32 \
		KDUMP_VERBOSE=0 KDUMP_KEEP_OLD_DUMPS=0 KDUMP_FREE_DISK_SIZE=0 KDUMP_NET_TIMEOUT=0 \
		KDUMP_IMMEDIATE_REBOOT=true KDUMP_CONTINUE_ON_ERROR=true MAKEDUMPFILE_OPTIONS= KDUMP_TRANSFER= \
		KDUMP_PRESCRIPT= KDUMP_POSTSCRIPT= > "$root/etc/kdump.conf"
	ignored_programs reboot umount
}

suse_script() {
	cat <<- 'END'
		bash
		. /usr/bin/kdump-save
	END
}

prepare_save_lzo() {
	suse_machine /var/crash file lzo
}

recipe_save_lzo() {
	suse_script
}

prepare_save_zstd() {
	suse_machine /var/crash file zstd
}

recipe_save_zstd() {
	suse_script
}

prepare_save_elf() {
	suse_machine /var/crash file ELF
}

recipe_save_elf() {
	suse_script
}

prepare_save_ssh() {
	suse_machine ssh://root@127.0.0.1/var/crash ssh compressed
	cp kdump_id_rsa "$root/root/.ssh/id_ed25519"
}

recipe_save_ssh() {
	suse_script
}

run_suse() {
	recipe save_lzo
	codec_recipe zstd save_zstd
	recipe save_elf
	if [ "${ssh:?}" = real ]; then
		recipe save_ssh
	else
		echo 'save_ssh: not run: it needs sshd' >> notes
	fi
}

# --- kdump-tools ------------------------------------------------------------

# tools_machine LINE...: installs the script, with these lines in its configuration
tools_machine() {
	cp "$KDUMP_TOOLS/usr/sbin/kdump-config" "$root/usr/sbin" || return 1
	mkdir -p "$root/lib/lsb" "$root/etc/default"
	printf '%s() { echo "$*"; }\n' log_action_msg log_success_msg log_failure_msg > "$root/lib/lsb/init-functions"
	printf '%s\n' USE_KDUMP=1 'MAKEDUMP_ARGS="-F -c -d 31"' "$@" > "$root/etc/default/kdump-tools"
	ignored_programs logger
}

tools_script() {
	cat <<- 'END'
		sh
		sh /usr/sbin/kdump-config savecore
	END
}

prepare_tools_local() {
	tools_machine
}

recipe_tools_local() {
	tools_script
}

prepare_tools_gzip() {
	tools_machine KDUMP_COMPRESSION=gzip
}

recipe_tools_gzip() {
	tools_script
}

prepare_tools_ssh() {
	tools_machine SSH=root@127.0.0.1 SSH_KEY=/root/.ssh/kdump_id_rsa
}

recipe_tools_ssh() {
	tools_script
}

run_kdump_tools() {
	recipe tools_local
	recipe tools_gzip
	recipe tools_ssh
}

# scripts_of NAME VALUE FUNCTION: runs them if their sources are there
scripts_of() {
	if [ -n "$2" ]; then
		"$3"
	else
		echo "not run: $1 is not set" >> notes
	fi
}

run_scripts() {
	scripts_of KDUMP_UTILS "$KDUMP_UTILS" run_kdump_utils
	scripts_of SUSE_KDUMP "$SUSE_KDUMP" run_suse
	scripts_of KDUMP_TOOLS "$KDUMP_TOOLS" run_kdump_tools
}
