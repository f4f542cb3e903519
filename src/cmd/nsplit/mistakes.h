// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mistakes in the command line and the configuration file that must not cost the dump.
 *
 * In the capture kernel, nobody can correct them, and the memory is gone after the reboot.  So an option
 * or a line that is wrong is reported and skipped there.  Everywhere else it is an error.
 */
#ifndef NSPLIT_CMD_NSPLIT_MISTAKES_H
#define NSPLIT_CMD_NSPLIT_MISTAKES_H

#include <stdbool.h>

#include "base/option_table.h"

/* Is called for each mistake that is skipped. */
struct mistake_reporter {
	void (*report)(void *arg, struct error *e);
	void *arg;
};

struct mistakes {
	bool forgiven;
	const struct mistake_reporter *reporter;	/* NULL unless they are forgiven */
	/* Words of the command line, in its order before getopt_long() moves operands; owned. */
	char **words;
	int count;
	int vmcore;			/* which of them is /proc/vmcore; count: none, and words[count] is NULL */
	bool *doubtful;			/* of each word: it may be the value of an option that was skipped */
	bool any;			/* an option was skipped */
};

/* They are forgiven, and printed, if this is the capture kernel, and the command line names its /proc/vmcore. */
void mistakes_init(struct mistakes *m, int argc, char **argv);
/* As if this were the capture kernel.  The caller there may add /proc/vmcore. */
void mistakes_init_as_there(struct mistakes *m, int argc, char **argv, const struct mistake_reporter *reporter);
void mistakes_free(struct mistakes *m);

/*
 * STATUS_USAGE if the option has taken /proc/vmcore for its value: the value was forgotten.
 */
enum status mistakes_check_value(const struct mistakes *m, const struct option_call *call,
				 struct error *e);

/* Prints a mistake that is skipped. */
void mistake_print(struct error *e);
extern const struct mistake_reporter mistake_printer;
/* Notes that an option was skipped, and the word behind it, which may be its value; NULL: none. */
void mistakes_doubt(struct mistakes *m, const char *word);
/* The same of the option that option_table_read() skips at this moment, and reports it. */
void mistakes_skip(struct mistakes *m, char **argv, struct error *e);

/*
 * The value of an option that is unknown looks like an operand.  Moves /proc/vmcore to argv[first], behind it
 * the operands that scripts of kdump give as outputs, and reports the others: an output in memory would
 * take a part of the dump that is then lost.  Returns the new argc.
 */
int mistakes_drop_values(const struct mistakes *m, int first, int argc, char **argv);

#endif
