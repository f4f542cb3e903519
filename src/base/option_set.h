// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Setters for the tables of option_table.h, one for each kind of value.  Each stores the value in
 * the field that OPTION_FIELD() names, and leaves the field unchanged if the value is wrong:
 * STATUS_USAGE, with a text that names the option.
 */
#ifndef NSPLIT_BASE_OPTION_SET_H
#define NSPLIT_BASE_OPTION_SET_H

#include "base/option_table.h"

/* Of struct option_entry: the field of the settings that takes the value. */
#define OPTION_FIELD(type, field) \
	.offset = offsetof(type, field), .width = sizeof(((type *)0)->field)

/* A bool: true for "yes", false for "no"; the second one stores the opposite. */
enum status option_set_bool(void *settings, const struct option_call *call, struct error *e);
enum status option_clear_bool(void *settings, const struct option_call *call, struct error *e);

/* Both from least to most, in an unsigned field of 4 or 8 bytes; a size may have a suffix. */
enum status option_set_number(void *settings, const struct option_call *call, struct error *e);
enum status option_set_size(void *settings, const struct option_call *call, struct error *e);

/* A size from least to most.  text is the value or, for setters of lists, a part of it. */
enum status option_parse_size(const struct option_call *call, const char *text, uint64_t *size,
			      struct error *e);

/* The number of the value among the choices, in an enum. */
enum status option_set_choice(void *settings, const struct option_call *call, struct error *e);

/* A const char *, which points to the value itself. */
enum status option_set_text(void *settings, const struct option_call *call, struct error *e);

#endif
