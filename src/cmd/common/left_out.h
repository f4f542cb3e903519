// SPDX-License-Identifier: GPL-2.0-or-later
/* The pages that a dump leaves out: the options for them, and messages about them. */
#ifndef NSPLIT_CMD_COMMON_LEFT_OUT_H
#define NSPLIT_CMD_COMMON_LEFT_OUT_H

#include "base/option_table.h"
#include "base/text.h"
#include "core/kinds/page_filter.h"
#include "format/format.h"

/* What --dump-level and --exclude say together.  All zero: neither was given, or --exclude=none. */
struct left_out_option {
	unsigned classes;		/* a set of classes; empty with --dump-level=0, say */
	bool given;
	/* Zero pages, too: they are in every dump, and take no space in it; its header says that they were asked for. */
	bool zero;
};

/*
 * The setters of --dump-level and --exclude, with OPTION_FIELD() of the same struct left_out_option for
 * both.  They add to what was given before, which "none" cancels.
 */
enum status left_out_set_level(void *settings, const struct option_call *call, struct error *e);
enum status left_out_set_words(void *settings, const struct option_call *call, struct error *e);
/* The same of a dump level that is known. */
void left_out_add_level(struct left_out_option *o, unsigned level);

/* One line with the pages that were left out, by class, if any class was. */
void left_out_report(const struct page_filter *filter, uint32_t page_size);

/* A warning for each class that was asked for and is kept. */
void left_out_report_kept(const struct page_filter *filter);

/* Of the classes of dump levels: "cache, user"; returns text. */
enum { CLASS_LIST_LENGTH = 64 };
const char *class_list_format(unsigned classes, char text[CLASS_LIST_LENGTH]);

enum { CLASS_AMOUNTS_LENGTH = (CLASSES + 2) * (SIZE_TEXT_LENGTH + 24) };

/* The word of dump levels for a class of captures, with the class itself if that has another name: "cache (dirty)". */
enum { CLASS_LABEL_LENGTH = 32 };
const char *class_label(unsigned number, char text[CLASS_LABEL_LENGTH]);

/*
 * Of the classes of captures, by these words: "1.7 GiB (cache 1.2 GiB, free 512.0 MiB)", with an amount of which the class is
 * not known; returns the sum.
 */
uint64_t class_amounts_format(const uint64_t of_class[CLASSES], uint64_t unknown, char text[CLASS_AMOUNTS_LENGTH]);

#endif
