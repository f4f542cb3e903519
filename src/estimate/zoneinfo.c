// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "estimate/zoneinfo.h"

static const char zoneinfo_file[] = "/proc/zoneinfo";

/* Each zone has a line "count: N" for each CPU. */
uint64_t zoneinfo_cpu_free(const char *root)
{
	char path[PATH_MAX], line[256];
	uint64_t count, sum = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", root, zoneinfo_file);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " count: %" SCNu64, &count) == 1)
			sum += count;
	if (file)
		fclose(file);
	return sum;
}
