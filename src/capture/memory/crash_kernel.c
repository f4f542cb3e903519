// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

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
/* In every sysfs since Linux 2.6.39. */
static const char sysfs_file[] = "sys/kernel/fscaps";
static const char oops_file[] = "proc/sys/kernel/panic_on_oops";
static const char command_line_file[] = "proc/cmdline";

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

static bool exists(const char *root, const char *name)
{
	int fd = file_below_open(root, name, O_PATH);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool read_switch(const char *root, const char *name, bool *on)
{
	uint64_t number;
	bool found = file_below_number(root, name, &number);

	*on = found && number;
	return found;
}

/* True if a word of the kernel's command line begins with this. */
static bool has_parameter(const char *root, const char *begin)
{
	FILE *file = file_below(root, command_line_file);
	char word[256];
	bool found = false;

	/* A longer word continues as another one, which begins with none of the parameters. */
	while (file && !found && fscanf(file, "%255s", word) == 1)
		found = strncmp(word, begin, strlen(begin)) == 0;
	if (file)
		fclose(file);
	return found;
}

static bool uses_fadump(const char *root)
{
	bool on;

	return (read_switch(root, fadump_file, &on) || read_switch(root, fadump_old_file, &on)) && on;
}

/* A kernel that can only use fadump, but has not registered, has no kexec to be missed. */
static bool lacks_kexec(const char *root)
{
	return exists(root, sysfs_file) && !exists(root, loaded_file) && !exists(root, fadump_file) &&
	       !exists(root, fadump_old_file);
}

static void read_kexec(const char *root, struct crash_kernel *kernel)
{
	kernel->kexec_absent = lacks_kexec(root);
	kernel->reserved_known = file_below_number(root, reserved_file, &kernel->reserved);
	kernel->loaded_known = read_switch(root, loaded_file, &kernel->loaded);
}

static void read_fadump(const char *root, struct crash_kernel *kernel)
{
	kernel->fadump = true;
	kernel->reserved_known = file_below_number(root, fadump_reserved_file, &kernel->reserved);
	kernel->loaded_known = kernel->loaded = true;
}

struct crash_kernel crash_kernel_of(const char *root)
{
	struct crash_kernel kernel = { .requested = has_parameter(root, "crashkernel=") };

	if (uses_fadump(root))
		read_fadump(root, &kernel);
	else
		read_kexec(root, &kernel);
	kernel.oops_known = read_switch(root, oops_file, &kernel.oops_panics);
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
