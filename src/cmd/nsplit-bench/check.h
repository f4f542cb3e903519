// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors that nsplit-bench reports before the first round. */
#ifndef NSPLIT_CMD_NSPLIT_BENCH_CHECK_H
#define NSPLIT_CMD_NSPLIT_BENCH_CHECK_H

#include <stdio.h>

#include "cmd/nsplit-bench/options.h"

/* The report of an option, such as "--json", in a file, which is created or replaced. */
enum status bench_open_report(const char *called, const char *name, FILE **file, struct error *e);
/* STATUS_USAGE: the file may not be replaced by this report; see side_file_refuse(). */
enum status bench_refuse_report(const char *called, const char *name, struct error *e);

/*
 * Rounds take minutes or hours, and each overwrites all outputs.  So outputs and reports that
 * cannot be written, or that are the same file as another one, are found beforehand.
 * Creates nothing.
 */
enum status bench_check(const struct bench_options *o, const struct source *source,
			struct error *e);

#endif
