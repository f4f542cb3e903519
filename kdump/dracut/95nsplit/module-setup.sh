#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The dracut module that brings nsplit, its configuration and its further disks into a capture
# initramfs.  dracut sources this; README.md tells an administrator what to write where.
# NSPLIT_ETC takes the place of /etc, for an initramfs that is made for another machine.

# Variables of dracut's own.
# shellcheck disable=SC2154

nsplit_etc=${NSPLIT_ETC:-$dracutsysrootdir/etc}

# Where the programs lie that this came with; dracut's PATH has no /usr/local/bin.
nsplit_program() {
	local _beside

	_beside=$(readlink -f "$moddir")/../../../../bin/nsplit
	if [[ -x $_beside ]]; then
		readlink -f "$_beside"
	else
		find_binary nsplit
	fi
}

# nsplit_function NAME ARGUMENT...: a function of the library, in a shell of its own, since dracut and
# its other modules may have functions of the same name.
nsplit_function() {
	(
		# shellcheck source=kdump/common/nsplit-kdump-functions
		. "$moddir/nsplit-kdump-functions"
		"$@"
	)
}

# Into an initramfs for kdump whose collector is nsplit, and where it is asked for (--add nsplit).
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
	return 255
}

# Does kdump of SUSE call it?
nsplit_transfers() {
	[[ " $add_dracutmodules " == *' kdump '* ]] &&
		grep -qs '^[[:space:]]*KDUMP_TRANSFER=.*nsplit' "$nsplit_etc/sysconfig/kdump"
}

depends() {
	echo base
}

# The disks as the capture environment will know them, or nothing.
nsplit_disks() {
	local _file=$nsplit_etc/nsplit-disks.conf

	[[ ! -e $_file ]] || "$moddir/nsplit-find-disks" "$_file"
}

# What drives a disk, from the disk itself to the bus that it hangs on.
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
		# Which file system it is matters even where the drivers are all there.
		[[ -z $_type ]] || hostonly='' instmods "$_type"
		# shellcheck disable=SC2046
		[[ ! -b $_device ]] || hostonly='' instmods $(nsplit_drivers "$_device")
	done < <(nsplit_disks 2> /dev/null)
}

install() {
	inst "$(nsplit_program)" /usr/bin/nsplit
	mkdir -p "$initdir/etc/kdump/pre.d"
	: > "$initdir/etc/nsplit.conf"
	[[ ! -e $nsplit_etc/nsplit.conf ]] || cat "$nsplit_etc/nsplit.conf" > "$initdir/etc/nsplit.conf"
	nsplit_stdout "$initdir/etc/nsplit.conf"
	nsplit_check
	inst "$moddir/nsplit-mount-disks" /usr/bin/nsplit-mount-disks
	inst "$moddir/nsplit-kdump-functions" /usr/bin/nsplit-kdump-functions
	! nsplit_transfers || inst "$moddir/nsplit-kdump-transfer" /usr/bin/nsplit-kdump-transfer
	inst_multiple cat date grep mkdir mount mv readlink sleep sync uname
	# For what nsplit-kdump-transfer does with old dumps, and where there is no room.
	! nsplit_transfers || inst_multiple dd rm rmdir sort stat
	# Without it, nsplit alone looks whether a bare disk holds something.
	inst_multiple -o blkid
	[[ -e $nsplit_etc/nsplit-disks.conf ]] || return 0
	nsplit_disks > "$initdir/etc/nsplit-disks.conf" ||
		dwarning 'nsplit: some lines of nsplit-disks.conf are left out of the capture initramfs'
	# kdump.sh calls what lies there right before the collector.
	ln_r /usr/bin/nsplit-mount-disks /etc/kdump/pre.d/90-nsplit-disks
}

# What would go wrong after a crash is said now, while it can be mended.
nsplit_check() {
	local _words _line _output _cpus

	# kdump takes what follows a # for a comment.
	read -ra _words < <(sed -nE 's/#.*//; s/^[[:space:]]*core_collector[[:space:]]+//p' \
		"$nsplit_etc/kdump.conf" 2> /dev/null | tail -n 1 | tr -d '"')
	[[ ${_words[0]-} == *nsplit ]] || return 0
	# A new file stands for the one that only the capture environment knows.
	_output=$initdir/vmcore-incomplete
	! nsplit_needs_stdout || _output=
	_cpus=$(nsplit_cpus "$initdir/etc/nsplit.conf")
	while read -r _line; do
		dwarning "$_line"
	done < <(NSPLIT_CONFIG=$initdir/etc/nsplit.conf "$(nsplit_program)" ${_cpus:+-j"$_cpus"} \
		"${_words[@]:1}" --check-params /proc/vmcore ${_output:+"$_output"} 2>&1)
}

# How many CPUs the capture kernel may start, if kdump says that, and nsplit.conf does not say how
# many threads there are: each takes memory, and there may be more CPUs here.
nsplit_cpus() {
	local _words

	! nsplit_function configured threads "$1" || return 0
	read -ra _words < <(sed -nE 's/^[[:space:]]*KDUMP_COMMANDLINE_APPEND=//p' \
		"$nsplit_etc/sysconfig/kdump" 2> /dev/null | tail -n 1 | tr -d "\"'")
	nsplit_function capture_cpus "${_words[@]}"
}

# To ssh and raw targets, kdump.sh sends what the collector writes to standard output, and names
# no file.
nsplit_stdout() {
	nsplit_needs_stdout || return 0
	# The last line may have no end.
	nsplit_function configured output "$1" || printf '\noutput = -\n' >> "$1"
}

nsplit_needs_stdout() {
	grep -qsE '^[[:space:]]*(ssh|raw)[[:space:]]' "$nsplit_etc/kdump.conf"
}
