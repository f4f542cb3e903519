// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Limits: how much memory this process may still take before the kernel refuses it or kills it.
 */
#ifndef NSPLIT_CAPTURE_MEMORY_MEMORY_LIMITS_H
#define NSPLIT_CAPTURE_MEMORY_MEMORY_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

/* The bytes left, UINT64_MAX if there is no limit; and what sets the limit, as in a message. */
struct limit {
	uint64_t bytes;
	const char *what;
};

/*
 * For this process: the lowest limit of the machine, the cgroups, RLIMIT_AS and RLIMIT_DATA.  One that the kernel does
 * not report is taken as none.
 */
struct limit limit_here(void);

/*
 * The same for tests: /proc and the cgroup file systems are below the directory root, and as and
 * data are the rlimits, UINT64_MAX for none.
 */
struct limit limit_of(const char *root, uint64_t as, uint64_t data);

/* --- the capture kernel ---------------------------------------------------- */

/* What this system tells about the capture kernel that it would start after a crash. */

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
	/* Bytes of the files of its initramfs in memory; 0: unknown. */
	uint64_t initramfs;
};

/*
 * Bytes of memory of the machine, which is about the size of its /proc/vmcore.  /proc is below the directory root: "" for this
 * machine, another for tests.
 */
uint64_t crash_kernel_source(const char *root);

/* Parts of that memory, each of which has a program header there; 0: unknown. */
uint64_t crash_kernel_segments(const char *root);

/*
 * Bytes of the reserved memory that a capture kernel with few CPUs leaves to programs, 0 if none: with an initramfs that
 * takes this many bytes, and systemd in it; 0: a small one without.  doc/kdump.md has the measurements.
 */
uint64_t crash_kernel_leaves(uint64_t reserved, uint64_t initramfs);

#endif
