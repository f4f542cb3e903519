// SPDX-License-Identifier: GPL-2.0-or-later
/* The number of CPUs that this process may use. */
#ifndef NSPLIT_BASE_CPUS_H
#define NSPLIT_BASE_CPUS_H

/* The number of CPUs that this process may use; at least 1. */
unsigned cpus_allowed(void);

#endif
