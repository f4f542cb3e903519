// SPDX-License-Identifier: GPL-2.0-or-later
/* Error messages for options that getopt_long() has refused. */
#ifndef NSPLIT_BASE_OPTION_REFUSED_H
#define NSPLIT_BASE_OPTION_REFUSED_H

#include "base/option_table.h"

/* An option that getopt_long() has found in a command line. */
struct option_refused {
	const struct option_table *table;
	const char *word;		/* of the command line: "--lzop", "-xF" */
	char letter;			/* the letter in it; 0: the word is a long option */
	/* The entry, if only the value is wrong; NULL: unknown or ambiguous. */
	const struct option_entry *entry;
	bool lacks_value;		/* of the entry; otherwise it has one that it does not take */
	const char *follows;		/* the option in place of the value; NULL: none */
};

/*
 * True if a word of the command line is a long option of the table, perhaps abbreviated, even
 * ambiguously, and perhaps with a value.
 */
bool option_is_known(const struct option_table *table, const char *word);

/*
 * STATUS_USAGE: the word is an option of another program, or an operand such as "if=FILE", and the error says what to
 * use here.
 */
enum status option_refuse_foreign(const struct option_table *table, const char *word, struct error *e);

/* Stores a sentence about it; returns STATUS_USAGE. */
enum status option_refuse(const struct option_refused *r, struct error *e);

#endif
