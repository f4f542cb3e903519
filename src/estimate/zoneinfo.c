// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/file_below.h"
#include "estimate/zoneinfo.h"

/* Each zone has a line "count: N" for each CPU. */
uint64_t zoneinfo_cpu_free(const char *root)
{
	FILE *file = file_below(root, "proc/zoneinfo");
	uint64_t count, sum = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " count: %" SCNu64, &count) == 1)
			sum += count;
	if (file)
		fclose(file);
	return sum;
}
