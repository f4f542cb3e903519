#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The dracut module: copies nsplit, its configuration and the list of its disks into a capture initramfs.
# dracut sources this file.  README.md describes the configuration.  NSPLIT_ETC replaces /etc, for an
# initramfs that is made for another machine.

# dracut's variables.
# shellcheck disable=SC2154

nsplit_etc=${NSPLIT_ETC:-$dracutsysrootdir/etc}

# Prints the nsplit to which makedumpfile leads, wherever that is; otherwise, the one that was installed with this
# module.  dracut's PATH does not include /usr/local/bin.
nsplit_program() {
	local _beside

	if nsplit_for_kdump && nsplit_is_makedumpfile; then
		readlink -f "$dracutsysrootdir/sbin/makedumpfile"
		return
	fi
	_beside=$(readlink -f "$moddir")/../../../../bin
	if [[ -x $_beside/nsplit ]]; then
		readlink -f "$_beside/nsplit"
	else
		find_binary nsplit
	fi
}

# nsplit_function NAME ARGUMENT...: calls a function of the library, in a subshell, since dracut or
# another module may have a function of the same name.
nsplit_function() {
	(
		# shellcheck source=kdump/common/nsplit-kdump-functions
		. "$moddir/nsplit-kdump-functions"
		"$@"
	)
}

# The module is for an initramfs of kdump whose collector is nsplit or, under the name of makedumpfile, leads
# to it, and wherever it is requested with --add nsplit.
check() {
	[[ $(nsplit_program) ]] || return 1
	if [[ ${IN_KDUMP-} ]] &&
		grep -qsE '^[[:space:]]*core_collector[[:space:]]+"?([^[:space:]]*/)?nsplit([[:space:]"]|$)' \
			"$nsplit_etc/kdump.conf"; then
		return 0
	fi
	if nsplit_transfers; then
		return 0
	fi
	if nsplit_for_kdump && nsplit_is_makedumpfile; then
		return 0
	fi
	return 255
}

# Succeeds if the initramfs is one of kdump-utils, which sets IN_KDUMP, or of SUSE's kdump.
nsplit_for_kdump() {
	[[ ${IN_KDUMP-} ]] || nsplit_for_suse
}

nsplit_for_suse() {
	[[ " $add_dracutmodules " == *' kdump '* ]]
}

# Succeeds if makedumpfile is a link to nsplit, as the package nsplit-makedumpfile makes it.
nsplit_is_makedumpfile() {
	local _program

	_program=$(readlink -f "$dracutsysrootdir/sbin/makedumpfile") &&
		[[ ${_program##*/} == nsplit && -x $_program ]]
}

# Succeeds if nsplit is only called as makedumpfile.  It then has the outputs that kdump names, and no others.
nsplit_is_only_makedumpfile() {
	nsplit_for_kdump && nsplit_is_makedumpfile && [[ ! $(nsplit_collector) ]] && ! nsplit_transfers &&
		[[ " $add_dracutmodules " != *' nsplit '* ]]
}

# Succeeds if SUSE's kdump calls nsplit-kdump-transfer.
nsplit_transfers() {
	nsplit_for_suse &&
		grep -qs '^[[:space:]]*KDUMP_TRANSFER=.*nsplit' "$nsplit_etc/sysconfig/kdump"
}

depends() {
	nsplit_is_only_makedumpfile || echo base
}

# Prints nsplit-disks.conf as the capture environment needs it, if the file exists.
nsplit_disks() {
	local _file=$nsplit_etc/nsplit-disks.conf

	[[ ! -e $_file ]] || "$moddir/nsplit-find-disks" "$_file"
}

# Prints the driver modules of a device: its own and those of each bus that it is connected to.
nsplit_drivers() {
	local _path

	_path=$(readlink -f "/sys/dev/block/$(get_maj_min "$1")") || return
	while [[ $_path == /sys/devices/* ]]; do
		[[ ! -L $_path/driver/module ]] ||
			basename "$(readlink -f "$_path/driver/module")"
		_path=${_path%/*}
	done
}

installkernel() {
	local _device _directory _type

	while read -r _device _directory _type; do
		# The file system needs its module even if the initramfs contains all drivers.
		[[ -z $_type ]] || hostonly='' instmods "$_type"
		# shellcheck disable=SC2046
		[[ ! -b $_device ]] || hostonly='' instmods $(nsplit_drivers "$_device")
	done < <(nsplit_disks 2> /dev/null)
}

# Prints the words of kdump.conf's core_collector, each on a line, if it is nsplit.  In kdump.conf, a comment
# begins with # anywhere in a line.
nsplit_collector() {
	local _words

	read -ra _words < <(sed -nE 's/#.*//; s/^[[:space:]]*core_collector[[:space:]]+//p' \
		"$nsplit_etc/kdump.conf" 2> /dev/null | tail -n 1 | tr -d '"')
	[[ ${_words[0]-} != nsplit && ${_words[0]-} != */nsplit ]] || printf '%s\n' "${_words[@]}"
}

# kdump.sh knows one collector.  A script in its place calls nsplit and, if that fails, makedumpfile.
nsplit_programs() {
	local _collector

	_collector=$(nsplit_collector | head -n 1)
	if [[ $_collector ]]; then
		inst "$(nsplit_program)" /usr/libexec/nsplit/nsplit
		inst "$moddir/nsplit-or-makedumpfile" /usr/bin/nsplit
		[[ $_collector == nsplit || $_collector == /usr/bin/nsplit ]] ||
			inst "$moddir/nsplit-or-makedumpfile" "$_collector"
		nsplit_second_collector
	else
		inst "$(nsplit_program)" /usr/bin/nsplit
		! nsplit_is_makedumpfile || nsplit_makedumpfile
	fi
}

# The makedumpfile that the script calls.  A link to nsplit would lead to the script itself in the initramfs.
nsplit_second_collector() {
	local _original

	if nsplit_is_makedumpfile; then
		_original=$(nsplit_original)
		inst "${_original:-$(nsplit_program)}" /usr/sbin/makedumpfile
		nsplit_libgcc
	else
		inst_multiple -o makedumpfile
	fi
}

# Prints the makedumpfile in whose place nsplit is called, if there is one.
nsplit_original() {
	local _directory

	for _directory in /usr/sbin /usr/bin; do
		if [[ -x $dracutsysrootdir$_directory/makedumpfile.distrib ]]; then
			echo "$_directory/makedumpfile.distrib"
			return
		fi
	done
}

# Installs makedumpfile as a link to nsplit, and the original, which nsplit calls if it fails.
nsplit_makedumpfile() {
	local _original

	inst "$(nsplit_program)" /usr/bin/nsplit
	mkdir -p "$initdir/usr/sbin"
	[[ -e $initdir/usr/sbin/makedumpfile ]] || ln_r /usr/bin/nsplit /usr/sbin/makedumpfile
	_original=$(nsplit_original)
	[[ $_original ]] || return 0
	inst "$_original" /usr/sbin/makedumpfile.distrib
	nsplit_libgcc
}

# The threads of makedumpfile need this library at their end, although no program is linked with it.
nsplit_libgcc() {
	inst_libdir_file 'libgcc_s.so*'
}

# Copies the configuration, if there is one; nsplit has defaults.
nsplit_configuration() {
	[[ -e $nsplit_etc/nsplit.conf ]] || return 0
	mkdir -p "$initdir/etc"
	cat "$nsplit_etc/nsplit.conf" > "$initdir/etc/nsplit.conf"
	chmod 600 "$initdir/etc/nsplit.conf"
}

install() {
	if nsplit_is_only_makedumpfile; then
		nsplit_makedumpfile
		nsplit_configuration
		return
	fi
	nsplit_programs
	mkdir -p "$initdir/etc/kdump/pre.d"
	: > "$initdir/etc/nsplit.conf"
	chmod 600 "$initdir/etc/nsplit.conf"
	[[ ! -e $nsplit_etc/nsplit.conf ]] || cat "$nsplit_etc/nsplit.conf" > "$initdir/etc/nsplit.conf"
	nsplit_stdout "$initdir/etc/nsplit.conf"
	nsplit_check
	inst "$moddir/nsplit-mount-disks" /usr/bin/nsplit-mount-disks
	inst "$moddir/nsplit-kdump-functions" /usr/bin/nsplit-kdump-functions
	! nsplit_transfers || inst "$moddir/nsplit-kdump-transfer" /usr/bin/nsplit-kdump-transfer
	inst_multiple cat date grep mkdir mount mv readlink sleep sync uname
	# nsplit-kdump-transfer removes old dumps and makes space with these.
	! nsplit_transfers || inst_multiple dd rm rmdir sort stat
	# Without blkid, only nsplit checks whether a bare disk is empty.
	inst_multiple -o blkid
	[[ -e $nsplit_etc/nsplit-disks.conf ]] || return 0
	nsplit_disks > "$initdir/etc/nsplit-disks.conf" ||
		dwarning 'nsplit: some lines of nsplit-disks.conf are ignored'
	# kdump.sh runs the programs in this directory just before the collector.
	ln_r /usr/bin/nsplit-mount-disks /etc/kdump/pre.d/90-nsplit-disks
}

# Reports now what would fail after a crash.
nsplit_check() {
	local _words _line _output _cpus

	mapfile -t _words < <(nsplit_collector)
	[[ ${#_words[@]} -gt 0 ]] || return 0
	# kdump.sh names the output only in the capture environment; a new file takes its place here.
	_output=$initdir/vmcore-incomplete
	! nsplit_needs_stdout || _output=
	_cpus=$(nsplit_cpus "$initdir/etc/nsplit.conf")
	# The capture kernel is loaded after its initramfs has been made.
	while read -r _line; do
		[[ $_line == *': no capture kernel is loaded'* ]] || dwarning "$_line"
	done < <(nsplit_as_collector ${_cpus:+-j"$_cpus"} "${_words[@]:1}" --check-params --capture-only \
		/proc/vmcore ${_output:+"$_output"} 2>&1)
	# With a file as the source and a new one as the output, only a wrong option or line is a usage error.
	nsplit_as_collector "${_words[@]:1}" --dry-run "$moddir/module-setup.sh" "$initdir/vmcore-incomplete" \
		> /dev/null 2>&1 || [[ $? -ne 2 ]] || nsplit_refuse 'nsplit: correct core_collector in kdump.conf, or nsplit.conf'
}

nsplit_as_collector() {
	NSPLIT_CONFIG=$initdir/etc/nsplit.conf "$(nsplit_program)" "$@"
}

# nsplit_refuse MESSAGE: makes no initramfs for kdump.  dracut does not look at the status of install().
nsplit_refuse() {
	[[ ${IN_KDUMP-} ]] || {
		dwarning "$1"
		return
	}
	dfatal "$1"
	exit 1
}

# Prints how many CPUs the capture kernel starts, unless nsplit.conf sets the number of threads.  The
# capture kernel may start fewer CPUs than this one has, and each thread takes memory.
nsplit_cpus() {
	local _words

	! nsplit_function configured threads "$1" || return 0
	read -ra _words < <(sed -nE 's/^[[:space:]]*KDUMP_COMMANDLINE_APPEND=//p' \
		"$nsplit_etc/sysconfig/kdump" 2> /dev/null | tail -n 1 | tr -d "\"'")
	nsplit_function capture_cpus "${_words[@]}"
}

# For ssh and raw targets, kdump.sh reads the collector's standard output and gives it no file name.
nsplit_stdout() {
	nsplit_needs_stdout || return 0
	# The last line of the file may lack its newline.
	nsplit_function configured output "$1" || printf '\noutput = -\n' >> "$1"
}

nsplit_needs_stdout() {
	grep -qsE '^[[:space:]]*(ssh|raw)[[:space:]]' "$nsplit_etc/kdump.conf"
}
