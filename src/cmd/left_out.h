// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages about the pages that a dump leaves out. */
#ifndef NSPLIT_CMD_LEFT_OUT_H
#define NSPLIT_CMD_LEFT_OUT_H

#include "core/page_filter.h"

/* The setters of --dump-level and --exclude; both add to what was given before. */
enum status left_out_add_level(unsigned *classes, const char *text, struct error *e);
enum status left_out_add_words(unsigned *classes, const char *text, struct error *e);

/* One line with the pages that were left out, by class, if any class was. */
void left_out_report(const struct page_filter *filter, uint32_t page_size);

/* A warning for each class that was asked for and is kept. */
void left_out_report_kept(const struct page_filter *filter);

#endif
