# shellcheck shell=sh
# shellcheck disable=SC2154 # the settings are made by words.sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The core of a machine that crashed, in the cache:
#	$cache/cores/NAME/core.zst	/proc/vmcore of the capture kernel, compressed with zstd
#	.../release			of its kernel
#	.../machine			its line in the file "machines", without the name
#	.../word/			what the kernel said just before the panic: dmesg, ps, meminfo,
#					kpageflags and other files of /proc, and what nsplit --estimate said
#	.../results/			what the commands in the capture kernel said
#	.../file-1.zst, pipe-1.zst, file-4.zst, pipe-4.zst	the disks with dumps of nsplit --format=kdump; likewise
#	.../layers0.zst, layers1.zst	the disks with a capture that leaves pages out, of which the second was
#					removed meanwhile; not there if the core was made before these were
#	.../console			of both kernels

# core_is_made NAME: the cache has it, made as core_line says
core_is_made() {
	core_dir=$cache/cores/$1
	[ -e "$core_dir/core.zst" ] || return 1
	[ ! -e "$core_dir/machine" ] || [ "$(cat "$core_dir/machine")" = "$core_line" ] || return 1
	[ "$figures" = no ] || grep -qs "^nsplit-31 .* bytes$" "$core_dir/results/figures"
}

# core_make NAME VERSION FLAVOUR: makes it with the settings of words.sh, in this directory
core_make() {
	core_name=$1
	core_release=$(kernel_release "$2" "$3")
	[ -n "$core_release" ] || {
		echo "no suite has a kernel $2 for $3" >&2
		return 1
	}
	kernel_get "$core_release" || return 1
	core_disks || return 1
	core_images || return 1
	machine_run "$core_release" || {
		core_console "the machine did not end by itself (status $machine_status)"
		return 1
	}
	core_collect || return 1
	packages_alone core_keep
}

# The members, the results and the kernel's word are on disks without a file system.
core_disks() {
	truncate -s 1536M member0.img member1.img layers0.img layers1.img
	truncate -s 512M file1.img file4.img pipe1.img pipe4.img
	truncate -s 64M word.img flags.img results.img swap.img
	mkdir data
	# Text, and data that does not compress.
	seq 1500000 > data/1.file
	head -c 6M /dev/urandom > data/2.file
	truncate -s 64M data.img
	# No kernel thread that prepares the rest later: it ends, perhaps between the list of tasks and the crash.
	mke2fs -q -t ext4 -E lazy_itable_init=0,lazy_journal_init=0 -d data data.img
	rm -rf data
	[ "$figures" = no ] || for core_disk in figures0.img figures1.img; do
		truncate -s 1536M $core_disk
		mke2fs -q -t ext4 $core_disk || return 1
	done
}

core_images() {
	core_sources || return 1
	core_image capture capture.sh || return 1
	cp "$here/guest/layers.sh" "$here/guest/dumps.sh" capture/
	core_programs capture "$core_build/nsplit" "$core_build/njoin" "$core_build/nsplit-mount" ||
		return 1
	# shellcheck disable=SC2086
	kernel_modules "$core_release" capture/modules $capture_modules || return 1
	[ "$figures" = no ] || core_figures || return 1
	core_pack capture capture.cpio.gz
	core_image first crash.sh || return 1
	core_programs first "$core_tools/sbin/kexec" "$core_build/tests/kernels/fill" "$core_build/nsplit" || return 1
	# shellcheck disable=SC2086
	kernel_modules "$core_release" first/modules $modules || return 1
	mv capture.cpio.gz first/
	cp "$cache/kernels/$core_release/vmlinuz" first/
	core_settings > first/settings.sh
	core_pack first first.cpio.gz
}

# Another collector, the newest one, and file systems.
core_figures() {
	cp "$here/guest/figures.sh" capture/
	printf '%s\n' "$figures" > capture/figures
	tools_arch=$core_arch
	tools_root "$tools_newest" crash makedumpfile && tools_into_image capture makedumpfile &&
		kernel_modules "$core_release" capture/modules ext4
}

# Sets core_build, with nsplit's programs for the architecture of the machine, and core_tools, with
# those of Debian.
core_sources() {
	core_arch=$(kernel_arch "$core_release")
	core_build=$builddir
	core_tools=
	[ "$core_arch" = arm64 ] || return 0
	cross_sysroot && cross_nsplit || return 1
	core_build=$cross_build
	core_tools=$cross_root
}

# core_image DIRECTORY SCRIPT: an initramfs with busybox, which runs a script of the directory guest
core_image() {
	mkdir -p "$1/bin" "$1/dev" "$1/disk" "$1/modules" "$1/proc" "$1/sys" "$1/tmp"
	ln -s bin "$1/sbin"
	: > "$1/modules/order"
	cp "$here/guest/init" "$1/init"
	cp "$here/guest/$2" "$1/script.sh"
	chmod +x "$1/init"
	core_programs "$1" "$core_tools/bin/busybox"
}

# core_programs DIRECTORY FILE...: adds programs with their shared libraries
core_programs() {
	if [ "$core_arch" = arm64 ]; then
		cross_programs "$@"
	else
		image=$1
		shift
		image_programs_here "$@"
	fi
}

core_settings() {
	machine_release=$core_release
	machine_options
	cat <<- END
		append="$machine_console quiet irqpoll reset_devices panic=-1 $capture_append"
		kexec_options="$kexec_options"
		panic_cpu=$panic_cpu
		change_memory=${monitor:+yes}
		busy=$busy
		reclaim=$reclaim
	END
}

# core_pack DIRECTORY FILE
core_pack() {
	image=$1
	image_pack "$2" 1
	rm -rf "$1"
}

# Joins the members, and unpacks what the two kernels wrote.
core_collect() {
	mkdir word results
	# A disk that nothing was written to is an empty archive.
	tar -C results -xf results.img && tar -C word -xf word.img && [ -s results/sha256 ] || {
		core_console 'the capture did not end'
		return 1
	}
	core_flags || return 1
	[ "$(cat results/cpus)" = "$capture_cpus" ] || {
		echo "the capture kernel used $(cat results/cpus) CPUs and not $capture_cpus" >&2
		return 1
	}
	njoin -q -o core member0.img member1.img || return 1
	[ "$(sha256sum < core | cut -d ' ' -f 1)" = "$(cat results/sha256)" ] || {
		echo 'what njoin wrote is not /proc/vmcore' >&2
		return 1
	}
	njoin -q --dmesg member0.img member1.img | cmp - results/dmesg >&2 || {
		echo 'njoin --dmesg printed something else in the capture kernel' >&2
		return 1
	}
}

# The header of the device says how many bytes follow.
core_flags() {
	core_length=$(head -c 4096 flags.img | tr -d '\0')
	tail -c +4097 flags.img | head -c "${core_length:-0}" > word/kpageflags
	[ "$(stat -c %s word/kpageflags)" = "$core_length" ] || {
		core_console 'the flags of the pages were not written'
		return 1
	}
}

# The directory gets its name when it is complete.
core_keep() {
	core_to=$cache/cores/$core_name
	core_new=$core_to.new
	rm -rf "$core_new"
	mkdir -p "$core_new" && zstd -q -3 -T0 core -o "$core_new/core.zst" && core_keep_layers &&
		printf '%s\n' "$core_release" > "$core_new/release" &&
		printf '%s\n' "$core_line" > "$core_new/machine" &&
		mv word results "$core_new/" && tr -d '\r' < console > "$core_new/console" || {
		echo "the core cannot be kept in $core_new" >&2
		rm -rf "$core_new"
		return 1
	}
	rm -rf "$core_to"
	mv -T "$core_new" "$core_to"
}

# Disks on which little was written.
core_keep_layers() {
	for core_disk in 0 1; do
		zstd -q -3 -T0 layers$core_disk.img -o "$core_new/layers$core_disk.zst" || return 1
	done
	for core_disk in file pipe; do
		for core_threads in 1 4; do
			zstd -q -3 -T0 $core_disk$core_threads.img -o "$core_new/$core_disk-$core_threads.zst" || return 1
		done
	done
}

# core_console TEXT: prints it, what stands out on the console, and its end
core_console() {
	tr -d '\r' < console > console.lines
	{
		printf '%s; what stands out on its console, and the end:\n' "$1"
		grep -aE 'Kernel panic|Out of memory|BUG:|WARNING:|Oops|Internal error|Unable to handle' console.lines |
			head -n 20
		tail -n 30 console.lines
		cat qemu.log
	} | sed 's/^/        | /' >&2
}
