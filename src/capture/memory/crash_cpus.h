// SPDX-License-Identifier: GPL-2.0-or-later
/* How many CPUs the capture kernel starts, according to the configuration of the system's kdump. */
#ifndef NSPLIT_CAPTURE_MEMORY_CRASH_CPUS_H
#define NSPLIT_CAPTURE_MEMORY_CRASH_CPUS_H

#include <limits.h>

enum { CRASH_CPUS_ALL = INT_MAX };

/*
 * From nr_cpus= and maxcpus= of the command line that is configured for the capture kernel, of which the smaller one
 * counts, or SUSE's KDUMP_CPUS: /etc/default/kdump-tools or /etc/sysconfig/kdump.  CRASH_CPUS_ALL: nothing limits it.
 * 1 without such a file.  root: the directory above /etc, "" for this machine, another for tests.
 */
unsigned crash_kernel_cpus(const char *root);

#endif
