// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "capture/memory_available.h"

/* Bytes of the kernel's code and tables, and of an initramfs with busybox and a few programs. */
enum { CAPTURE_KERNEL = 84 << 20 };
/* The part of its memory that it takes besides: page structures and watermarks. */
enum { CAPTURE_KERNEL_SHARE = 32 };

/* What a capture leaves free: bytes, and a part of what is available. */
enum { KEPT_FREE = 4 << 20, KEPT_FREE_SHARE = 16 };

static const char iomem_file[] = "/proc/iomem";

uint64_t available_ram(FILE *iomem)
{
	char line[128], what[16];
	uint64_t first, last, sum = 0;

	/* Indented lines are parts of the line before. */
	while (fgets(line, sizeof(line), iomem))
		if (*line != ' ' &&
		    sscanf(line, "%" SCNx64 "-%" SCNx64 " : %15[^\n]", &first, &last, what) == 3 &&
		    strcmp(what, "System RAM") == 0 && last > first)
			sum += last - first + 1;
	return sum;
}

bool available_meminfo(FILE *meminfo, uint64_t *bytes)
{
	char line[128];
	uint64_t kib;

	while (fgets(line, sizeof(line), meminfo)) {
		if (sscanf(line, "MemAvailable: %" SCNu64 " kB", &kib) == 1) {
			*bytes = kib << 10;
			return true;
		}
	}
	return false;
}

uint64_t available_machine_memory(void)
{
	FILE *file = fopen(iomem_file, "re");
	struct sysinfo info;
	uint64_t ram = 0;

	if (file) {
		ram = available_ram(file);
		fclose(file);
	}
	/* This lacks what the kernel keeps for itself, which is close enough. */
	if (!ram && sysinfo(&info) == 0)
		ram = (uint64_t)info.totalram * info.mem_unit;
	return ram;
}

uint64_t available_of_reserved(uint64_t reserved)
{
	uint64_t taken = CAPTURE_KERNEL + reserved / CAPTURE_KERNEL_SHARE;

	return reserved > taken ? reserved - taken : 0;
}

uint64_t available_usable(uint64_t available)
{
	uint64_t kept = KEPT_FREE + available / KEPT_FREE_SHARE;

	return available > kept ? available - kept : 0;
}
