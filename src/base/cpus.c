// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <sched.h>
#include <unistd.h>

#include "base/cpus.h"

unsigned cpus_allowed(void)
{
	cpu_set_t set;
	long online;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (unsigned)CPU_COUNT(&set);
	/* The machine has more than CPU_SETSIZE CPUs. */
	online = sysconf(_SC_NPROCESSORS_ONLN);
	return online < 1 ? 1 : (unsigned)online;
}
