// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "format/machine.h"

static const struct {
	uint16_t machine;
	const char *name;
} machines[] = {
	{ EM_X86_64, "x86_64" },
	{ EM_AARCH64, "aarch64" },
	{ EM_RISCV, "riscv64" },
	{ EM_PPC64, "ppc64le" },
	{ EM_LOONGARCH, "loongarch64" },
};

enum { MACHINES = sizeof(machines) / sizeof(*machines) };

uint16_t machine_of_name(const char *name)
{
	for (size_t i = 0; i < MACHINES; i++)
		if (strcmp(machines[i].name, name) == 0)
			return machines[i].machine;
	return EM_NONE;
}

const char *machine_name(uint16_t machine)
{
	for (size_t i = 0; i < MACHINES; i++)
		if (machines[i].machine == machine)
			return machines[i].name;
	return NULL;
}
