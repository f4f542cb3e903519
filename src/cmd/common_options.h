// SPDX-License-Identifier: GPL-2.0-or-later
/* Pieces of a command line that several programs take. */
#ifndef NSPLIT_CMD_COMMON_OPTIONS_H
#define NSPLIT_CMD_COMMON_OPTIONS_H

#include "base/error.h"

/* What the reading of a command line returns to go on; else it is the exit status. */
enum { OPTIONS_READ = -1 };

enum { THREADS_MAX = 4096 };

/*
 * Seconds.  Longer than the kernel tries again on a disk that does not answer, and than an fsync takes
 * of what a capture kernel can hold in its page cache.
 */
enum { SINK_TIMEOUT_DEFAULT = 600 };

/* CPUs that this process may use: the default of --threads. */
unsigned threads_default(void);

/* A number of threads.  option names the option in the error. */
enum status threads_parse(const char *option, const char *text, unsigned *threads,
			  struct error *e);

/*
 * auto, always or never, as 0, 1, 2; NULL, an option without its value, is always.  option
 * names the option in the error.
 */
enum status choice_parse(const char *option, const char *text, int *choice, struct error *e);

#endif
