# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Part of recipes.sh: the command lines.  A function recipe_NAME prints the shell that its script is for, then the
# lines as they are in the script, with the values of the variables at its beginning.  prepare_NAME, if there is one,
# prepares the machine.

# --- kdump-utils: Fedora, RHEL, CentOS Stream, Azure Linux ------------------

recipe_fedora_check() {
	cat <<- 'END'
		bash
		makedumpfile --check-params -l --message-level 7 -d 31 vmcore dumpfile
	END
}

recipe_fedora_check_flat() {
	cat <<- 'END'
		bash
		makedumpfile --check-params -F -l --message-level 7 -d 31 vmcore
	END
}

# A mistake in kdump.conf; only the status decides whether the initramfs is built.
recipe_fedora_check_wrong() {
	cat <<- 'END'
		bash
		makedumpfile --check-params -l --message-level 7 -d 32 vmcore dumpfile
	END
}

recipe_fedora_fs() {
	cat <<- 'END'
		bash -o pipefail
		_dump_fs_path=/var/crash THREADS=$(nproc)
		CORE_COLLECTOR="makedumpfile -l --message-level 7 -d 31 --num-threads=$THREADS"
		$CORE_COLLECTOR /proc/vmcore "$_dump_fs_path/vmcore-incomplete" > /dev/console 2>&1
	END
}

# A file system that is full.
recipe_fedora_fs_full() {
	recipe_fedora_fs
}

prepare_fedora_fs_full() {
	mount -t tmpfs -o size=4M tmpfs "${root:?}/var/crash"
}

recipe_fedora_ssh() {
	cat <<- 'END'
		bash -o pipefail
		_ssh_dir=/var/crash
		_ssh_opts="-i /root/.ssh/kdump_id_rsa -o BatchMode=yes -o StrictHostKeyChecking=yes"
		CORE_COLLECTOR="makedumpfile -l --message-level 7 -d 31 -F"
		set -- /root/.ssh/kdump_id_rsa root@127.0.0.1
		$CORE_COLLECTOR /proc/vmcore | ssh $_ssh_opts "$2" "umask 0077 && dd bs=512 of='$_ssh_dir/vmcore-incomplete'"
	END
}

recipe_fedora_raw() {
	cat <<- 'END'
		bash -o pipefail
		DD_BLKSIZE=512
		CORE_COLLECTOR="makedumpfile -l --message-level 7 -d 31 -F"
		set -- /dev/dump
		$CORE_COLLECTOR /proc/vmcore | dd of="$1" bs=$DD_BLKSIZE >> /tmp/dd_progress_file 2>&1 || exit
		# After the reboot.
		coredir=/var/crash raw_target=/dev/dump
		makedumpfile -R "$coredir/vmcore" < "$raw_target" > /dev/null 2>&1
	END
}

prepare_fedora_raw() {
	raw_target
}

# The other program reads the device after the reboot, as after an update.
recipe_fedora_raw_crossed() {
	recipe_fedora_raw | sed 's|^makedumpfile -R|/other/&|'
}

prepare_fedora_raw_crossed() {
	raw_target
}

# --- kdump-tools: Debian, Ubuntu, SONiC -------------------------------------

recipe_debian_dmesg() {
	cat <<- 'END'
		sh
		vmcore=/proc/vmcore outfile=/var/crash/dmesg.202601010000
		makedumpfile --dump-dmesg "$vmcore" "$outfile"
	END
}

recipe_debian_local() {
	cat <<- 'END'
		sh
		compress() { cat; }
		MAKEDUMP_ARGS="-F -c -d 31" vmcore_file=/proc/vmcore KDUMP_CORETEMP=/var/crash/dump-incomplete
		makedumpfile $MAKEDUMP_ARGS $vmcore_file | compress > "$KDUMP_CORETEMP"
	END
}

# -F is added behind the options if they do not begin with it.
recipe_debian_gzip() {
	recipe_debian_local | sed 's/{ cat; }/{ gzip -c; }/; s/-incomplete/&.gz/; s/"-F -c -d 31"/"-c -d 31 -F"/'
}

recipe_debian_ssh() {
	cat <<- 'END'
		sh
		compress() { cat; }
		SSH_KEY=/root/.ssh/kdump_id_rsa SSH_REMOTE_HOST=root@127.0.0.1
		MAKEDUMP_ARGS="-F -c -d 31" vmcore_file=/proc/vmcore SSH_CORETEMP=/var/crash/dump-incomplete
		makedumpfile $MAKEDUMP_ARGS $vmcore_file | compress | ssh -i $SSH_KEY "$SSH_REMOTE_HOST" dd "of=$SSH_CORETEMP"
	END
}

# --- kdump: SUSE ------------------------------------------------------------

# suse_fifo FILE COMMAND: prints the lines around a command that writes to the FIFO, which another one reads
suse_fifo() {
	cat <<- END
		bash
		SOURCE=/tmp/fifo DIR=/var/crash FILENAME=$1 KDUMP_DUMPLEVEL=31 CPUS=\$(nproc) MSG_LEVEL=6
		MAKEDUMPFILE_OPTIONS= THREADS="--num-threads \${CPUS}"
		umask 077
		mkfifo \${SOURCE}
		SAVE_COMMAND='mkdir -p "\${DIR}" && cat \${SOURCE} > "\${DIR}/\${FILENAME}"'
		$2 &
		eval \${SAVE_COMMAND}
		SAVE_COMMAND_RET=\$?
		[[ \${SAVE_COMMAND_RET} -ne 0 ]] && kill \$! 2>/dev/null
		wait \$! && [[ \${SAVE_COMMAND_RET} -eq 0 ]]
	END
}

# shellcheck disable=SC2016 # as it stands in the script
recipe_suse_dmesg() {
	suse_fifo dmesg 'makedumpfile -F --message-level 8 --dump-dmesg /proc/vmcore > $SOURCE 2> /tmp/makedumpfile_stderr'
	echo 'status=$?; cat /tmp/makedumpfile_stderr >&2; exit $status'
}

# suse_details MACHINE: what the script finds on standard error
suse_details() {
	grep -E '^ *(CRASHTIME|OSRELEASE)[ =]' "$1/err"
}

# shellcheck disable=SC2016
suse_format() {
	suse_fifo vmcore "FORMAT=$1"'
		DUMP_COMMAND="makedumpfile -F ${FORMAT} ${THREADS} --message-level $MSG_LEVEL -d ${KDUMP_DUMPLEVEL} ${MAKEDUMPFILE_OPTIONS} /proc/vmcore"
		eval "${DUMP_COMMAND} > $SOURCE"'
}

recipe_suse_compressed() {
	suse_format -c
}

recipe_suse_lzo() {
	suse_format -l
}

recipe_suse_snappy() {
	suse_format -p
}

recipe_suse_zstd() {
	suse_format -z
}

# The script gives it one thread.
recipe_suse_elf() {
	suse_format -E | sed 's/THREADS=.*/THREADS=/'
}

# --- others -----------------------------------------------------------------

recipe_bottlerocket() {
	cat <<- 'END'
		sh
		makedumpfile -c --message-level 4 -d 31 /proc/vmcore /var/crash/vmcore.dump
	END
}

recipe_steamos() {
	cat <<- 'END'
		sh
		makedumpfile -z -d 31 /proc/vmcore /var/crash/vmcore
	END
}

recipe_cachyos() {
	cat <<- 'END'
		sh
		makedumpfile -l -d 31 /proc/vmcore /var/crash/vmcore
	END
}

recipe_vpsadminos() {
	cat <<- 'END'
		sh
		makedumpfile -c -d 16 --num-threads $(nproc) /proc/vmcore /var/crash/dumpfile
	END
}

recipe_timeout() {
	cat <<- 'END'
		sh
		timeout 3600 makedumpfile -l -d 31 /proc/vmcore /var/crash/vmcore
	END
}

run_lines() {
	recipe fedora_check
	recipe fedora_check_flat
	recipe fedora_check_wrong status_only
	recipe fedora_fs
	recipe fedora_fs_full
	recipe fedora_ssh
	recipe fedora_raw
	recipe fedora_raw_crossed
	recipe debian_dmesg
	recipe debian_local
	recipe debian_gzip
	recipe debian_ssh
	recipe suse_dmesg suse_details
	recipe suse_compressed
	recipe suse_lzo
	codec_recipe snappy suse_snappy
	codec_recipe zstd suse_zstd
	recipe suse_elf
	recipe bottlerocket
	codec_recipe zstd steamos
	recipe cachyos
	recipe vpsadminos
	recipe timeout
}
