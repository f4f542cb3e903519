# shellcheck shell=sh
# shellcheck disable=SC2034 # the settings are used by core.sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the words of the file "machines" mean: each is a function that changes the settings of
# words_begin(), after which core.sh makes the machine.

# words_begin FLAVOUR: the settings of a plain machine
words_begin() {
	memory=768				# MiB
	crashkernel=256M
	cpus=2
	capture_cpus=1
	panic_cpu=0
	append=					# additions to the command line of the first kernel
	capture_append=nr_cpus=1		# and of the capture kernel
	modules='virtio_pci virtio_blk ext4 zram xfs'	# of the first kernel
	capture_modules='virtio_pci virtio_blk fuse'
	monitor=				# a command to QEMU that changes the memory
	busy=no					# yes: as after months of work
	reclaim=no				# yes: and its memory was full
	kexec_options=				# -s: the kernel itself describes the memory
	symbols=no				# yes: crash and drgn read this core
	figures=no				# 31, all: nsplit is compared with makedumpfile at this level; and with cp
	limits=					# readers that cannot read the core itself
	# Emulated, REP STOSB stores one byte after another, and only some versions of the C library use it
	# if a processor claims that it is fast: LZO would be three times as slow with these.
	qemu_cpu=max,-erms
	qemu_threads=multi
	qemu_memory=				# QEMU's option -m, if it is more than a number
	qemu_options=
	[ "$(kernel_arch "$1")" = amd64 ] || {
		memory=1024
		# A faster algorithm than the default one, in software.
		qemu_cpu=max,pauth-impdef=on
	}
}

# makedumpfile knows kernels built for 52 bits of virtual addresses only if they have pages of 64 KiB.
word_not_makedumpfile() {
	limits="$limits makedumpfile_log makedumpfile_newest_log"
}

# Of arm64 kernels with 52 bits of virtual addresses, crash cannot read vmalloc() memory.
word_not_crash() {
	limits="$limits crash"
}

word_symbols() {
	symbols=yes
}

word_figures() {
	figures=all
}

word_figures_31() {
	figures=31
}

# The clock of the machine counts instructions, one for each nanosecond, so its figures do not depend on
# the host.
word_instructions() {
	qemu_threads=single
	qemu_options="$qemu_options -icount shift=0,sleep=off"
}

# A processor without LA57.
word_four_levels() {
	qemu_cpu=Haswell
}

# An arm64 processor with 48 bits of virtual and 44 bits of physical addresses.
word_bits_48() {
	qemu_cpu=cortex-a72
}

# Half of the huge pages are used, by "fill".
word_huge_pages() {
	memory=896
	append="$append hugepages=32"
}

# The pages of struct page of huge pages are shared (HVO).
word_hvo() {
	append="$append hugetlb_free_vmemmap=on"
}

# A thousand tasks, huge pages, deleted files that are open, and memory in fragments.
word_busy() {
	memory=3072
	busy=yes
	append="$append hugepages=32"
}

# The same, but the memory was full of page cache, so the kernel had to reclaim some.
word_reclaim() {
	word_busy
	memory=2048
	reclaim=yes
}

word_two_nodes() {
	qemu_options="$qemu_options -object memory-backend-ram,size=384M,id=ram0
		-object memory-backend-ram,size=384M,id=ram1
		-numa node,memdev=ram0,cpus=0 -numa node,memdev=ram1,cpus=1"
}

# The host takes 128 MiB back from the machine.
word_balloon() {
	modules="$modules virtio_balloon"
	qemu_options="$qemu_options -device virtio-balloon-pci"
	monitor='balloon 640'
}

# 256 MiB that the firmware announces later (ACPI).  It announces them to the capture kernel, too, which
# must not take them for its own.
word_dimm() {
	capture_append="$capture_append acpi_no_memhotplug"
	qemu_memory=768,slots=2,maxmem=2G
	qemu_options="$qemu_options -object memory-backend-ram,size=256M,id=dimm"
	monitor='device_add pc-dimm,id=dimm0,memdev=dimm'
	append="$append memhp_default_state=online"
}

# 192 MiB of a virtio-mem device of 256 MiB.  The capture kernel needs its driver, too: it tells which
# of them are memory.
word_virtio_mem() {
	qemu_memory=768,slots=2,maxmem=2G
	modules="$modules virtio_mem"
	capture_modules="$capture_modules virtio_mem"
	qemu_options="$qemu_options -object memory-backend-ram,size=256M,id=vmem
		-device virtio-mem-pci,id=vm0,memdev=vmem,requested-size=0"
	monitor='qom-set vm0 requested-size 192M'
	append="$append memhp_default_state=online"
}

# Part of the capture kernel's memory is lent to user pages until the crash.  Only the kernel itself
# knows how to leave it out of /proc/vmcore.
word_cma() {
	# So little that user pages are put there.
	memory=576
	crashkernel=160M
	append="$append crashkernel=96M,cma"
	kexec_options=-s
}

# A capture kernel that uses all CPUs but the boot CPU, which it could not start (see
# Documentation/admin-guide/kdump/kdump.rst), after a panic on another one.
word_eight_cpus() {
	cpus=8
	capture_cpus=7
	capture_append='nr_cpus=8 disable_cpu_apicid=0'
	panic_cpu=5
	# With a thread for each CPU, QEMU 7.2 ended with a segmentation fault after the panic.
	qemu_threads=single
}
