# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How much of its reserved memory a capture kernel has available, and how much nsplit takes: the
# tables of doc/kdump.md.

# memory_machine MEMORY CRASHKERNEL CPUS: in MiB, MiB, and nr_cpus
memory_machine() {
	image_begin capture memory.sh
	image_modules virtio_pci virtio_blk
	image_programs nsplit
	cp runs "$image/"
	image_pack capture.cpio.gz
	image_begin first crash.sh
	image_programs kexec nsplit
	cp "$kernel" "$image/vmlinuz"
	mv capture.cpio.gz "$image/"
	printf 'nr_cpus=%s\n' "$3" > "$image/append"
	image_pack first.cpio.gz 1
	rm -rf capture first
	cpus_of_machine=$3
	[ "$3" -gt 1 ] || cpus_of_machine=2
	machine_run "$1" first.cpio.gz "crashkernel=${2}M" "-$2-$3"
	cpus_of_machine=
	rm -f first.cpio.gz
	checks_of_machine
	same "crashkernel=${2}M nr_cpus=$3: it boots" "$(value booted)" yes
	try "the memory that --check-params expects is available" \
		awk -v left="$(value left)" -v there="$(value available)" \
		'BEGIN { exit !(left > 0 && left <= there + 0) }'
	printf '%s %s %s %s\n' "$2" "$3" "$(value total)" "$(value available)" >> machines
}

# memory_row CODEC: prints the most MiB, for each number of threads
memory_row() {
	printf '        | %s |' "$1"
	for memory_threads in 1 2 4 8; do
		printf ' %s |' "$(value "peak-$1-$memory_threads-1")"
	done
	printf '\n'
}

: > runs
: > machines
[ -n "${NSPLIT_SHORT-}" ] || {
	memory_machine 1024 192 1
	memory_machine 2048 512 1
	memory_machine 1024 256 2
	memory_machine 1024 256 4
}
machine_disks out 4 1G
for codec in raw lzo lz4 zstd:1 auto; do
	for threads in 1 2 4 8; do
		printf '%s %s 1\n' "$codec" "$threads"
	done
done > runs
printf 'lzo 4 2\nlzo 4 4\n' >> runs
memory_machine 512 256 1
printf '        | crashkernel, MiB | nr_cpus | MemTotal | MemAvailable |\n'
sort -n machines | awk '{ print "        |", $1, "|", $2, "|", $3, "|", $4, "|" }'
printf '        | -C | -j1 | -j2 | -j4 | -j8 |, MiB at most, one output\n'
for codec in raw lzo lz4 zstd:1 auto; do
	memory_row "$codec"
done
printf '        lzo, -j4, two outputs: %s, four: %s\n' "$(value peak-lzo-4-2)" \
	"$(value peak-lzo-4-4)"
