// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "base/system.h"
#include "capture/memory/crash_kernel.h"

/* Memory is at the top level; indented lines are parts of the line before, such as "Crash kernel". */
static bool add_line(struct iomem *iomem, const char *line)
{
	uint64_t first, last;
	char what[16];

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " : %15[^\n]", &first, &last, what) != 3 || last <= first)
		return true;
	if (*line != ' ' && strcmp(what, "System RAM") == 0)
		return range_list_add(&iomem->ram, first, last - first + 1);
	if (*line == ' ' && strcmp(what, "Crash kernel") == 0)
		return range_list_add(&iomem->reserved, first, last - first + 1);
	return true;
}

static bool cut(struct iomem *iomem)
{
	for (size_t i = 0; i < iomem->ram.count; i++) {
		uint64_t at = iomem->ram.ranges[i].offset, end = at + iomem->ram.ranges[i].length, length;

		for (; range_list_gap(&iomem->reserved, &at, end, &length); at += length)
			if (!range_list_add(&iomem->captured, at, length))
				return false;
	}
	return true;
}

bool iomem_read(struct iomem *iomem, const char *root)
{
	FILE *file = file_below(root, "proc/iomem");
	bool good = true;
	char line[128];

	*iomem = (struct iomem){ 0 };
	if (!file)
		return false;
	while (good && fgets(line, sizeof(line), file))
		good = add_line(iomem, line);
	fclose(file);
	range_list_sort(&iomem->ram);
	range_list_merge(&iomem->ram);
	range_list_sort(&iomem->reserved);
	range_list_merge(&iomem->reserved);
	return good && iomem->ram.count && cut(iomem);
}

void iomem_free(struct iomem *iomem)
{
	range_list_free(&iomem->ram);
	range_list_free(&iomem->reserved);
	range_list_free(&iomem->captured);
}

uint64_t iomem_sum(const struct range_list *list)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < list->count; i++)
		sum += list->ranges[i].length;
	return sum;
}

static const char reserved_file[] = "sys/kernel/kexec_crash_size";
static const char loaded_file[] = "sys/kernel/kexec_crash_loaded";
static const char fadump_file[] = "sys/kernel/fadump/registered";
/* Its name before 2020, which has stayed as a link. */
static const char fadump_old_file[] = "sys/kernel/fadump_registered";
static const char fadump_reserved_file[] = "sys/kernel/fadump/mem_reserved";

/* Bytes of the kernel's code and tables, and of an initramfs with busybox and a few programs. */
enum { CAPTURE_KERNEL = 84 << 20 };
/*
 * Without the files of an initramfs, but with systemd, its journal and udev: "make check-kernel
 * SCENARIOS=memory-dracut" measured 79 to 80 MiB with crashkernel= of 192, 256 and 512 MiB, and 74 MiB with a
 * shell in place of systemd (2026-11-26; Linux 6.1, dracut 059, systemd 252).
 */
enum { CAPTURE_KERNEL_ALONE = 81 << 20 };
/* The part of its memory that it takes besides: page structures and watermarks. */
enum { CAPTURE_KERNEL_SHARE = 32 };

static bool is_on(const char *root, const char *name)
{
	uint64_t number;

	return file_below_number(root, name, &number) && number;
}

struct crash_kernel crash_kernel_of(const char *root)
{
	bool fadump = is_on(root, fadump_file) || is_on(root, fadump_old_file);
	struct crash_kernel kernel = { .loaded_known = fadump, .loaded = fadump };
	uint64_t number;

	kernel.reserved_known = file_below_number(root, fadump ? fadump_reserved_file : reserved_file, &kernel.reserved);
	if (!fadump && file_below_number(root, loaded_file, &number)) {
		kernel.loaded_known = true;
		kernel.loaded = number;
	}
	return kernel;
}

uint64_t crash_kernel_source(const char *root)
{
	struct sysinfo info;
	struct iomem iomem;
	uint64_t ram = 0;

	if (iomem_read(&iomem, root))
		ram = iomem_sum(&iomem.ram);
	iomem_free(&iomem);
	/* This lacks what the kernel keeps for itself, which is close enough. */
	if (!ram && sysinfo(&info) == 0)
		ram = (uint64_t)info.totalram * info.mem_unit;
	return ram;
}

uint64_t crash_kernel_segments(const char *root)
{
	struct iomem iomem;
	uint64_t count;

	iomem_read(&iomem, root);
	count = iomem.captured.count;
	iomem_free(&iomem);
	return count;
}

static uint64_t left_of(uint64_t reserved, uint64_t taken)
{
	uint64_t share = reserved / CAPTURE_KERNEL_SHARE;

	return reserved - share > taken ? reserved - share - taken : 0;
}

uint64_t crash_kernel_leaves(uint64_t reserved)
{
	return left_of(reserved, CAPTURE_KERNEL);
}

uint64_t crash_kernel_leaves_beside(uint64_t reserved, uint64_t initramfs)
{
	return initramfs > reserved ? 0 : left_of(reserved, CAPTURE_KERNEL_ALONE + initramfs);
}
