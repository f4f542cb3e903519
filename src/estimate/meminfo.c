// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file_below.h"
#include "estimate/meminfo.h"

static const char meminfo_file[] = "proc/meminfo";

/* In KiB, but for the number of pages of hugetlb. */
struct lines {
	uint64_t total, free, buffers, cached, swap_cached, anonymous, huge, huge_size;
};

static void read_line(struct lines *l, const char *line)
{
	const struct { const char *name; uint64_t *value; } names[] = {
		{ "MemTotal:", &l->total },	{ "MemFree:", &l->free },
		{ "Buffers:", &l->buffers },	{ "Cached:", &l->cached },
		{ "SwapCached:", &l->swap_cached }, { "AnonPages:", &l->anonymous },
		{ "HugePages_Total:", &l->huge }, { "Hugepagesize:", &l->huge_size },
	};
	char name[32];
	uint64_t value;

	if (sscanf(line, "%31s %" SCNu64, name, &value) != 2)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i].name) == 0)
			*names[i].value = value;
}

enum status meminfo_classes(const char *root, uint64_t total, uint64_t bytes[CLASSES], struct error *e)
{
	FILE *file = file_below(root, meminfo_file);
	struct lines l = { 0 };
	uint64_t named;
	char line[128];

	if (!file)
		return error_system(e, errno, "%s/%s", root, meminfo_file);
	while (fgets(line, sizeof(line), file))
		read_line(&l, line);
	fclose(file);
	if (!l.total)
		return error_set(e, STATUS_SYSTEM, "%s/%s: has no line MemTotal", root, meminfo_file);
	memset(bytes, 0, CLASSES * sizeof(*bytes));
	bytes[CLASS_FREE] = l.free << 10;
	bytes[CLASS_CLEAN] = (l.buffers + l.cached + l.swap_cached) << 10;
	bytes[CLASS_ANONYMOUS] = l.anonymous << 10;
	bytes[CLASS_HUGETLB] = (l.huge * l.huge_size) << 10;
	named = bytes[CLASS_FREE] + bytes[CLASS_CLEAN] + bytes[CLASS_ANONYMOUS] + bytes[CLASS_HUGETLB];
	total = max_u64(total, l.total << 10);
	bytes[CLASS_KERNEL] = total > named ? total - named : 0;
	return STATUS_OK;
}
