// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine that figures were measured on. */
#ifndef NSPLIT_CMD_MACHINE_H
#define NSPLIT_CMD_MACHINE_H

struct machine {
	char processor[128];		/* "Intel(R) Xeon(R) Processor", or the architecture */
	unsigned cpus;			/* that this process may use */
	char system[256];		/* "Linux 6.12.1" */
	char date[32];			/* "2026-11-21", of now */
};

void machine_describe(struct machine *machine);

#endif
