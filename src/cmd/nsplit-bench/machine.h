// SPDX-License-Identifier: GPL-2.0-or-later
/* Describes this machine, for the reports of nsplit-bench. */
#ifndef NSPLIT_CMD_NSPLIT_BENCH_MACHINE_H
#define NSPLIT_CMD_NSPLIT_BENCH_MACHINE_H

struct machine {
	char processor[128];		/* "Intel(R) Xeon(R) Processor", or the architecture */
	unsigned cpus;			/* those that this process may use */
	char system[256];		/* "Linux 6.12.1" */
	char date[32];			/* today, "2026-11-21", UTC */
};

void machine_describe(struct machine *machine);

#endif
