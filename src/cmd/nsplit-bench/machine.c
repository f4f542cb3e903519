// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "cmd/nsplit-bench/machine.h"
#include "cmd/common/common_options.h"

/* Some architectures do not name the processor there. */
static void find_processor(struct machine *machine)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "model name : %127[^\n]", machine->processor) == 1)
			break;
	if (file)
		fclose(file);
}

void machine_describe(struct machine *machine)
{
	time_t now = time(NULL);
	struct utsname name;
	struct tm tm;

	*machine = (struct machine){ .cpus = threads_default() };
	if (uname(&name) == 0) {
		snprintf(machine->processor, sizeof(machine->processor), "%s", name.machine);
		snprintf(machine->system, sizeof(machine->system), "%s %s", name.sysname,
			 name.release);
	}
	find_processor(machine);
	if (gmtime_r(&now, &tm))
		strftime(machine->date, sizeof(machine->date), "%Y-%m-%d", &tm);
}
