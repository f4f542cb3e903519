// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file_below.h"
#include "capture/memory/iomem.h"

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
