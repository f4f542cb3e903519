// SPDX-License-Identifier: GPL-2.0-or-later
/* What the command lines of several programs have in common. */
#ifndef NSPLIT_CMD_COMMON_COMMON_OPTIONS_H
#define NSPLIT_CMD_COMMON_COMMON_OPTIONS_H

#include "base/error.h"
#include "base/option_table.h"

/* Returned by the functions that read a command line if the program is to continue. */
enum { OPTIONS_READ = -1 };

/*
 * What such a function returns: OPTIONS_READ, or the exit status after --help and the like
 * (STATUS_END) and after an error, which is reported here.
 */
int options_result(enum status status, const struct error *e);

enum { THREADS_MAX = 4096 };

/*
 * Seconds.  Longer than the kernel retries on a disk that does not answer, and than an fsync takes
 * for as much as a capture kernel can hold in its page cache.
 */
enum { SINK_TIMEOUT_DEFAULT = 600 };

/* The number of CPUs that this process may use: the default of --threads. */
unsigned threads_default(void);

/* The setter of --list-codecs: prints the codecs of this build and returns STATUS_END. */
enum status option_list_codecs(void *settings, const struct option_call *call, struct error *e);

/* The values of --compress: the codecs of this build, and auto (struct option_entry). */
const char *codec_value(unsigned n);

/* WHEN: auto, always, never.  The enums for --direct, --mmap and --progress have this order. */
extern const char *const choices_when[];

#endif
