// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The options of a program as one table, from which its command line is read, its --help and
 * --help=all are written, and the keys of its configuration file are found.  tests/cli/options.sh
 * compares --help=all with the manual pages, and tests/cli/completion.sh with the completions of the
 * shells.
 *
 * getopt_long() parses the command line: long options may be abbreviated to a unique prefix,
 * letters may be grouped, options and operands may be mixed, and "--" ends the options.
 *
 * Tables are constant.  A value belongs to the command line or the configuration file that it
 * comes from, which must outlive the settings if a setter keeps a pointer to it.
 */
#ifndef NSPLIT_BASE_OPTION_TABLE_H
#define NSPLIT_BASE_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct option_call;

struct option_entry {
	/* The long option, and the key; "": there is only the letter.  NULL: help is a heading of --help. */
	const char *name;
	char letter;			/* 0: none */
	/* What --help and the manual page call the value.  NULL: a flag, which takes none. */
	const char *argument;
	const char *help;		/* wrapped by --help */

	/* Stores the value in the settings, or reports what is wrong with it.  NULL: it means nothing. */
	enum status (*set)(void *settings, const struct option_call *call, struct error *e);
	/* For the setters below: the field that takes the value, and what it may be. */
	size_t offset, width;
	uint64_t least, most;
	const char *const *choices;	/* ended by NULL */
	/* What the completions offer if there are no choices: value n, or NULL after the last one. */
	const char *(*value)(unsigned n);

	/* The value if none is given, as in --progress.  NULL: a value is required. */
	const char *absent;
	/*
	 * Of a flag: --no-NAME exists as well.  Of an entry without a name: --help lists all these
	 * forms here.
	 */
	bool negatable;
	bool basic;			/* in the short --help, which fits a screen */
	bool key;			/* of the configuration file, too */
	bool key_only;			/* of the configuration file, and not an option */
	/* Obeyed before the configuration file is read. */
	bool early;
	bool ends;			/* prints and exits: STATUS_END */
};

/* OPTION_NAME_LENGTH: for "no-NAME" and the null byte. */
enum { OPTIONS_MAX = 64, OPTION_NAME_LENGTH = 40 };

struct option_table {
	const char *program;		/* its name, which --version prints */
	const char *usage;		/* the beginning of --help; ends with a newline */
	const char *operands;		/* more about them, in --help=all; likewise; NULL: none */
	const struct option_entry *entries;
	size_t count;			/* at most OPTIONS_MAX */
	const char *examples;		/* likewise; NULL: none, and no short --help */
	const char *notes;		/* the end of --help=all, likewise */
};

/* One occurrence of an option in a command line, or of a key in a file. */
struct option_call {
	const struct option_table *table;
	const struct option_entry *entry;
	const char *called;		/* for error texts: "--threads", "-j", or the key "threads" */
	const char *text;		/* the value; of a flag "yes" or, with --no-, "no" */
};

/* Calls the setter of the option, if it has one. */
enum status option_set(void *settings, const struct option_call *call, struct error *e);

struct option_reader {
	enum status (*each)(void *arg, const struct option_call *call, struct error *e);
	/* NULL, or called for each option with STATUS_USAGE, which is then skipped.  entry is NULL if it is unknown. */
	void (*skipped)(void *arg, const struct option_entry *entry, struct error *e);
	void *arg;
};

/*
 * Calls reader->each() for every option of the command line, in order, until it returns something
 * other than STATUS_OK, and returns that.  STATUS_OK: optind is the number of the first operand.
 * STATUS_USAGE: each() has refused a value, or an option is unknown or ambiguous, lacks its value
 * (perhaps with another option in its place), or has one that it does not take.  May be called again
 * for another pass.
 */
enum status option_table_read(const struct option_table *table, int argc, char **argv,
			      const struct option_reader *reader, struct error *e);

/* Writes the text of --help=all, or of --help: the basic entries only, if there are any. */
void option_table_print(const struct option_table *table, bool all, FILE *file);

/*
 * Setters of --help and --version: print on standard output and return STATUS_END.  The version is
 * in the form of the GNU programs: "nsplit 1.0.0", and "njoin (nsplit) 1.0.0" for the others.
 */
enum status option_print_help(void *settings, const struct option_call *call, struct error *e);
enum status option_print_version(void *settings, const struct option_call *call, struct error *e);

extern const char *const option_help_choices[];

#define OPTION_HELP { "help", 'h', "all", "print the basic options, or all, and exit", \
		      option_print_help, .choices = option_help_choices, .absent = "", .basic = true, \
		      .early = true, .ends = true }
#define OPTION_VERSION { "version", 'V', NULL, "print the version and exit", \
			 option_print_version, .early = true, .ends = true }

/* --- setters ------------------------------------------------------------- */

/*
 * One for each kind of value.  Each stores the value in
 * the field that OPTION_FIELD() names, and leaves the field unchanged if the value is wrong:
 * STATUS_USAGE, with a text that names the option.
 */

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
