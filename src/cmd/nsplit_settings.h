// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The settings of nsplit: each is a long option, or a key in the configuration, or both, and
 * takes the same values in either place.  nsplit.1 and nsplit.conf.5 describe them.
 */
#ifndef NSPLIT_CMD_NSPLIT_SETTINGS_H
#define NSPLIT_CMD_NSPLIT_SETTINGS_H

#include "cmd/nsplit_options.h"

/* What getopt returns for options without a letter. */
enum {
	OPTION_ALSO = 256,
	OPTION_ANY_OWNER,
	OPTION_CHECK_PARAMS,
	OPTION_CHUNK_SIZE,
	OPTION_CONFIG,
	OPTION_DIRECT,
	OPTION_FALLBACK,
	OPTION_FILTER,
	OPTION_LIST_CODECS,
	OPTION_MEM_LIMIT,
	OPTION_MMAP,
	OPTION_NO_CONFIG,
	OPTION_OVERWRITE_DEVICES,
	OPTION_PROGRESS,
	OPTION_SERIAL,
	OPTION_SINK_TIMEOUT,
	OPTION_STATS,
	OPTION_STRIPE,
	OPTION_UUID,
};

/* Added to what it returns for a flag: its no- form, for which the value is "no". */
enum { OPTION_TAKES_BACK = 1024 };

/* Of a key that is no option; getopt returns no such thing. */
enum { NO_OPTION = -2 };

struct setting {
	const char *name;	/* the long option, and the key */
	int option;		/* what getopt returns, or NO_OPTION */
	bool no_key;		/* for the command line alone */
	/*
	 * One of three: what reads the value, where name is how the user has called it, for the
	 * error ("--threads", "threads"); or the offset in struct nsplit_options of a bool, which is
	 * yes or no in a file and takes no value on the command line; or that of a list of names,
	 * to which each value adds what {A..B} in it makes.
	 */
	enum status (*set)(struct nsplit_options *o, const char *name, const char *text,
			   struct error *e);
	size_t flag;
	size_t list;
};

/* Of an array with a place for each. */
enum { SETTINGS_MAX = 40 };

/* Its place there. */
unsigned setting_number(const struct setting *setting);

/* NULL: there is none. */
const struct setting *setting_of_option(int option);
const struct setting *setting_of_key(const char *key);

/* May it be given again and again, each time with one more value? */
bool setting_is_list(const struct setting *setting);

/*
 * name is how the user has called it, for the error.  text is NULL for a flag without a value, and
 * where an option was left without the one that it may have.
 */
enum status setting_set(const struct setting *setting, struct nsplit_options *o, const char *name,
			const char *text, struct error *e);

/* The same on the command line: the name is the long option. */
enum status setting_set_option(const struct setting *setting, struct nsplit_options *o,
			       const char *text, struct error *e);

/* Forgets the values of those lists that are given anew, by setting_number(). */
void settings_clear_lists(struct nsplit_options *o, const bool given[SETTINGS_MAX]);

/* What holds when nobody has said anything. */
void settings_init(struct nsplit_options *o);

#endif
