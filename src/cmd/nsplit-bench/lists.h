// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of values on a command line: setters for the tables of option_table.h.  The new list
 * replaces the one that the field held.
 */
#ifndef NSPLIT_CMD_NSPLIT_BENCH_LISTS_H
#define NSPLIT_CMD_NSPLIT_BENCH_LISTS_H

#include "base/option_table.h"
#include "bench/settings.h"

/*
 * 1,2,4-8 and 4K,64K, in a struct numbers; each value from least to most of the option.  A word
 * among its choices, if it has any, stands for 0.
 */
enum status list_set_numbers(void *settings, const struct option_call *call, struct error *e);
enum status list_set_sizes(void *settings, const struct option_call *call, struct error *e);

enum status list_append(struct numbers *list, uint64_t value, struct error *e);
void list_free(struct numbers *list);

/* NAME[:LEVEL],... likewise. */
enum status codecs_parse(struct bench_settings *settings, const char *text, struct error *e);
void codecs_free(struct bench_settings *settings);

#endif
