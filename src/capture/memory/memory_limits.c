// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/meminfo has the memory available on the machine.  A cgroup has its own limit, and so has
 * each of its ancestors.  Their usage includes the page cache, which the kernel reclaims before it
 * kills a process.
 */
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/system.h"
#include "capture/memory/memory_limits.h"

enum { LINE_LENGTH = 4096 };

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *p = list; (p = strstr(p, word)); p += length)
		if ((p == list || p[-1] == ',') && (!p[length] || p[length] == ',' || p[length] == '\n'))
			return true;
	return false;
}

/* Finds the line "4:memory:/path", or "0::/path" for version 2.  False: there is none. */
static bool find_group(const char *root, bool second, char path[LINE_LENGTH])
{
	FILE *file = file_below(root, "proc/self/cgroup");
	bool found = false;
	char line[LINE_LENGTH];

	while (file && !found && fgets(line, sizeof(line), file)) {
		char *controllers = strchr(line, ':'), *name;

		if (!controllers || !(name = strchr(++controllers, ':')))
			continue;
		*name++ = '\0';
		name[strcspn(name, "\n")] = '\0';
		found = second ? !*controllers : has_word(controllers, "memory");
		if (found)
			strcpy(path, name);
	}
	if (file)
		fclose(file);
	return found;
}

/*
 * Parses a line of mountinfo: directory top of the file system is mounted at point.  False: the
 * line is of another file system.
 */
static bool is_mount(const char *line, bool second, char top[LINE_LENGTH], char point[LINE_LENGTH])
{
	const char *kind = strstr(line, " - ");
	char type[16], options[LINE_LENGTH];

	if (!kind || sscanf(line, "%*s %*s %*s %4095s %4095s", top, point) != 2 ||
	    sscanf(kind, " - %15s %*s %4095s", type, options) != 2)
		return false;
	if (second)
		return strcmp(type, "cgroup2") == 0;
	return strcmp(type, "cgroup") == 0 && has_word(options, "memory");
}

/* The part of a group's path below top, the directory that is mounted; "" if it is not below. */
static const char *below(const char *path, const char *top)
{
	size_t length = strcmp(top, "/") == 0 ? 0 : strlen(top);

	if (strncmp(path, top, length) != 0 || (path[length] && path[length] != '/') ||
	    strstr(path, "/..") || strcmp(path, "/") == 0)
		return "";
	return path + length;
}

/* The files of a memory controller, and the keys in its memory.stat. */
struct controller {
	const char *limits[2];		/* the lower one counts; the second may be NULL */
	const char *usage;
	const char *inactive, *active, *dirty, *writeback;
};

static const struct controller version1 = {
	{ "memory.limit_in_bytes", NULL }, "memory.usage_in_bytes",
	"total_inactive_file", "total_active_file", "total_dirty", "total_writeback",
};

static const struct controller version2 = {
	{ "memory.max", "memory.high" }, "memory.current",
	"inactive_file", "active_file", "file_dirty", "file_writeback",
};

/* The number in the file; UINT64_MAX if there is none, as with "max". */
static uint64_t read_number(const char *directory, const char *name)
{
	uint64_t number;

	return file_below_number(directory, name, &number) ? number : UINT64_MAX;
}

/*
 * Page cache that the kernel can reclaim from a group.  Only half of the active part counts, since
 * it includes the running programs.  Dirty pages do not count.
 */
static uint64_t read_reclaimable(const char *directory, const struct controller *c)
{
	FILE *file = file_below(directory, "memory.stat");
	uint64_t cache = 0, busy = 0, number;
	char line[128], key[64];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %" SCNu64, key, &number) != 2)
			continue;
		if (strcmp(key, c->inactive) == 0)
			cache += number;
		else if (strcmp(key, c->active) == 0)
			cache += number / 2;
		else if (strcmp(key, c->dirty) == 0 || strcmp(key, c->writeback) == 0)
			busy += number;
	}
	if (file)
		fclose(file);
	return cache > busy ? cache - busy : 0;
}

static void lower(struct limit *limit, uint64_t bytes, const char *what)
{
	if (bytes < limit->bytes)
		*limit = (struct limit){ bytes, what };
}

static uint64_t left_of(uint64_t limit, uint64_t used)
{
	return limit > used ? limit - used : 0;
}

/* Lowers the limit to what one group has left. */
static void look_at_group(const char *directory, const struct controller *c, struct limit *memory)
{
	uint64_t limit = read_number(directory, c->limits[0]), usage, cache;

	if (c->limits[1])
		limit = min_u64(limit, read_number(directory, c->limits[1]));
	/* In version 1, "no limit" is a number larger than any memory. */
	if (limit > INT64_MAX - (1 << 20))
		return;
	usage = read_number(directory, c->usage);
	if (usage == UINT64_MAX)
		return;
	cache = read_reclaimable(directory, c);
	lower(memory, left_of(limit, left_of(usage, cache)), "the limit of the memory cgroup");
}

/* Looks at the groups of cgroup version 1, or of version 2: that of this process and its ancestors. */
static void look_at_hierarchy(const char *root, bool second, struct limit *memory)
{
	char line[LINE_LENGTH], path[LINE_LENGTH], top[LINE_LENGTH], point[LINE_LENGTH], directory[PATH_MAX];
	FILE *file = find_group(root, second, path) ? file_below(root, "proc/self/mountinfo") : NULL;
	size_t least = 0;
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = is_mount(line, second, top, point);
	if (file)
		fclose(file);
	if (!found || snprintf(directory, sizeof(directory), "%s%s%s", root, point, below(path, top)) >=
		      (int)sizeof(directory))
		return;
	/* Cut off at a slash, down to where the file system is mounted, it is the directory of an ancestor. */
	least = strlen(root) + strlen(point);
	for (;;) {
		const char *slash = strrchr(directory, '/');

		look_at_group(directory, second ? &version2 : &version1, memory);
		if (!slash || strlen(directory) <= least)
			return;
		directory[max_u64((uint64_t)(slash - directory), least)] = '\0';
	}
}

static void look_at_machine(const char *root, struct limit *memory)
{
	FILE *file = file_below(root, "proc/meminfo");
	char line[128];
	uint64_t kib;

	/* Before Linux 3.14 there is no such line. */
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %" SCNu64 " kB", &kib) == 1)
			lower(memory, kib << 10, "this machine");
	if (file)
		fclose(file);
}

/*
 * Stacks and mappings take address space in which there is no memory, about as much as the memory.  statm counts pages:
 * the first field is all that is mapped, the sixth what is private and writable.
 */
static void look_at_addresses(const char *root, uint64_t as, uint64_t data, struct limit *memory)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), mapped, written;
	FILE *file = as == UINT64_MAX && data == UINT64_MAX ? NULL : file_below(root, "proc/self/statm");

	if (file && fscanf(file, "%" SCNu64 " %*s %*s %*s %*s %" SCNu64, &mapped, &written) == 2) {
		lower(memory, left_of(as, mapped * page) / 2, "half of ulimit -v");
		lower(memory, left_of(data, written * page) / 2, "half of ulimit -d");
	}
	if (file)
		fclose(file);
}

struct limit limit_of(const char *root, uint64_t as, uint64_t data)
{
	struct limit memory = { UINT64_MAX, "" };

	look_at_machine(root, &memory);
	look_at_hierarchy(root, true, &memory);
	look_at_hierarchy(root, false, &memory);
	look_at_addresses(root, as, data, &memory);
	return memory;
}

struct limit limit_here(void)
{
	struct rlimit as = { .rlim_cur = RLIM_INFINITY }, data = as;

	getrlimit(RLIMIT_AS, &as);
	getrlimit(RLIMIT_DATA, &data);
	/* The soft limits. */
	return limit_of("", as.rlim_cur == RLIM_INFINITY ? UINT64_MAX : as.rlim_cur,
			data.rlim_cur == RLIM_INFINITY ? UINT64_MAX : data.rlim_cur);
}

/* --- the capture kernel ---------------------------------------------------- */

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
	range_list_merge(&iomem->ram);
	range_list_merge(&iomem->reserved);
	return good && iomem->ram.count && cut(iomem);
}

void iomem_free(struct iomem *iomem)
{
	range_list_free(&iomem->ram);
	range_list_free(&iomem->reserved);
	range_list_free(&iomem->captured);
}

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

uint64_t crash_kernel_source(const char *root)
{
	struct sysinfo info;
	struct iomem iomem;
	uint64_t ram = 0;

	if (iomem_read(&iomem, root))
		ram = range_list_length(&iomem.ram);
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

uint64_t crash_kernel_leaves(uint64_t reserved, uint64_t initramfs)
{
	uint64_t left = reserved - reserved / CAPTURE_KERNEL_SHARE;

	if (!initramfs)
		return left_of(left, CAPTURE_KERNEL);
	return initramfs > reserved ? 0 : left_of(left, CAPTURE_KERNEL_ALONE + initramfs);
}
