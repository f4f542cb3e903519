// SPDX-License-Identifier: GPL-2.0-or-later
/* What this system tells about the capture kernel that it would start after a crash. */
#ifndef NSPLIT_CAPTURE_MEMORY_CRASH_KERNEL_H
#define NSPLIT_CAPTURE_MEMORY_CRASH_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

/* The memory of this machine, as /proc/iomem lists it. */

/* Ranges of physical addresses, sorted and merged; all zero at first. */
struct iomem {
	struct range_list ram;		/* all memory that the kernel uses */
	/* Reserved for the capture kernel: parts of that, which are not in /proc/vmcore. */
	struct range_list reserved;
	/* The memory without these parts. */
	struct range_list captured;
};

/*
 * Reads the file below the directory root: "" for this machine, another for tests.  False: there is no
 * such memory, as for all users but root, to whom the kernel shows zeros.  iomem_free() in any case.
 */
bool iomem_read(struct iomem *iomem, const char *root);
void iomem_free(struct iomem *iomem);

/* Bytes of a list. */
uint64_t iomem_sum(const struct range_list *list);

/*
 * A value is meaningful only if it is known: a kernel without kexec lacks the files, and so does a
 * chroot or a container without sysfs.
 *
 * With the firmware-assisted dump of POWER (fadump), the firmware keeps the memory and starts the
 * capture kernel, and nothing is loaded with kexec.  This kernel has to register for it.
 */
struct crash_kernel {
	bool reserved_known;
	uint64_t reserved;	/* bytes of memory for the capture kernel */
	bool loaded_known;
	bool loaded;		/* kexec has loaded a capture kernel, or fadump */
	/* Bytes of the files of its initramfs in memory, which crash_kernel_of() does not know; 0: unknown. */
	uint64_t initramfs;
};

/* /proc and /sys are below the directory root: "" for this machine, another for tests. */
struct crash_kernel crash_kernel_of(const char *root);

/* Bytes of memory of the machine, which is about the size of its /proc/vmcore; root as above. */
uint64_t crash_kernel_source(const char *root);

/* Parts of that memory, each of which has a program header there; 0: unknown. */
uint64_t crash_kernel_segments(const char *root);

/*
 * Bytes of the reserved memory that a capture kernel with few CPUs and a small initramfs leaves to
 * programs, 0 if none.  doc/kdump.md has the measurements.
 */
uint64_t crash_kernel_leaves(uint64_t reserved);

/* The same with an initramfs that takes this many bytes, and systemd in it. */
uint64_t crash_kernel_leaves_beside(uint64_t reserved, uint64_t initramfs);

#endif
