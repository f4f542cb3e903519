// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdict on a benchmark (bench/verdict.h), in words. */
#ifndef NSPLIT_CMD_NSPLIT_BENCH_VERDICT_H
#define NSPLIT_CMD_NSPLIT_BENCH_VERDICT_H

#include "bench/verdict.h"

/* "captures", also a key of the JSON */
extern const char *const verdict_names[JUDGED_KINDS];

/* A sentence: what may be concluded from the figures. */
const char *verdict_sentence(const struct verdict *verdict);

/* Prints a warning if some figures are unreliable: for a report without the table, which says so. */
void verdict_warn(const struct verdict *verdict);

#endif
