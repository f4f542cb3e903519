// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of nsplit and its configuration file; nsplit.1 and nsplit.conf.5 describe them. */
#ifndef NSPLIT_CMD_NSPLIT_OPTIONS_H
#define NSPLIT_CMD_NSPLIT_OPTIONS_H

#include "base/names.h"
#include "base/option_table.h"
#include "capture/engine/capture.h"
#include "cmd/common/common_options.h"
#include "cmd/common/left_out.h"
#include "cmd/common/progress.h"
#include "io/source.h"

/* Of {now}: the time as YYYYMMDDHHMMSS. */
enum { STAMP_LENGTH = 14 };

/* What outputs become. */
enum nsplit_format {
	NSPLIT_MEMBERS,
	NSPLIT_KDUMP,
	NSPLIT_ELF,
};

/* --drill */
enum nsplit_drill {
	DRILL_NONE,
	DRILL_RUN,
	DRILL_CRASH,		/* print commands only */
};

/* Texts are not owned unless marked: they are parts of the command line or of config_text. */
struct nsplit_options {
	struct capture_settings capture;
	char codec_text[PRESET_TEXT_LENGTH];	/* what capture.codec_text points to */
	bool uuid_given;
	bool block_size_given;
	/* Fail if the source is not the core of a kernel; otherwise, a member is written in place of the dump. */
	bool dump_required;
	bool no_fallback;		/* there is no option for it */
	enum mmap_mode mmap;
	enum direct_mode direct;
	enum progress_mode progress;
	bool force;
	bool overwrite_dumps;		/* as force, and cores, dumps and members, too */
	bool any_owner;
	bool overwrite_devices;		/* with force, whatever they hold */
	bool quiet;
	bool verbose;
	bool dry_run;
	bool check_params;
	bool capture_only;		/* with check_params */
	bool threads_given;
	enum nsplit_drill drill;
	uint64_t drill_size;		/* bytes of a core that is made up; 0: not given */
	uint64_t drill_memory;		/* bytes that the drill may use; 0: not given */
	bool estimate;
	bool json;			/* with check_params or estimate */
	unsigned format;		/* enum nsplit_format */
	bool read_all;			/* pages that may stop the machine, too */
	struct left_out_option left_out;	/* given: layers are wanted, even if it is empty */
	const char *stats_file;		/* NULL: none */
	const char *filter;		/* command; NULL: none */
	const char *config_choice;	/* --config; "": --no-config; NULL: not given */
	const char *config;		/* the file that was read; NULL: none */
	char *config_text;		/* its contents; owned */
	struct error config_unsafe;	/* others may write to it, so none of its commands is run; STATUS_OK: it is safe */
	bool config_commands;		/* then: it has commands */
	bool config_filter;		/* then: one of them is a filter */
	bool has_operands;		/* otherwise what follows is a default: see crash_machine.h */
	const char *source;
	char now[STAMP_LENGTH + 1];	/* replaces {now} in outputs */
	/* Expanded and owned. */
	struct names configured;	/* of the key output */
	struct names also;
	struct names fallbacks;
	struct names drill_remove;	/* commands */
	/* All of them in order: outputs of the command line or configured, also, fallbacks. */
	struct names outputs;
	size_t required;		/* the first outputs, which must be usable: see nsplit_probe() */
};

struct mistake_reporter;

/*
 * Reads the command line and the configuration file.  Returns OPTIONS_READ, or the status to exit
 * with at once: after --help and the like, or an error, which has been reported.
 */
int nsplit_options_read(struct nsplit_options *o, int argc, char **argv);
/*
 * Reads the command line with which nsplit would be called in the capture kernel: mistakes are skipped and reported as
 * there, and operands may be missing.  config: takes the place of the choice in the command line; NULL: it does not.
 * STATUS_END: nsplit would save nothing there, as the error says.
 */
enum status nsplit_options_try(struct nsplit_options *o, int argc, char **argv, const char *config,
			       const struct mistake_reporter *reporter, struct error *e);
/*
 * Adds the options, but not the operands, of another command line, which override those that there are: lists, too.
 * STATUS_USAGE: both do not go together.
 */
enum status nsplit_options_add(struct nsplit_options *o, int argc, char **argv, struct error *e);
/* Replaces one by another, which is empty then. */
void nsplit_options_move(struct nsplit_options *o, struct nsplit_options *from);
void nsplit_options_free(struct nsplit_options *o);

/* --- mistakes in the command line and the configuration file that must not cost the dump --- */

/*
 * In the capture kernel, nobody can correct them, and the memory is gone after the reboot.  So an option
 * or a line that is wrong is reported and skipped there.  Everywhere else it is an error.
 */

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
void mistakes_free(struct mistakes *m);

/*
 * STATUS_USAGE if the option has taken /proc/vmcore for its value: the value was forgotten.
 */
enum status mistakes_check_value(const struct mistakes *m, const struct option_call *call,
				 struct error *e);

/* Prints a mistake that is skipped. */
void mistake_print(struct error *e);
extern const struct mistake_reporter mistake_printer;
/* Notes and reports that option_table_read() skips an option at this moment, and the word behind it, which may be its value. */
void mistakes_skip(struct mistakes *m, char **argv, struct error *e);

/*
 * The value of an option that is unknown looks like an operand.  Moves /proc/vmcore to argv[first], behind it
 * the operands that scripts of kdump give as outputs, and reports the others: an output in memory would
 * take a part of the dump that is then lost.  Returns the new argc.
 */
int mistakes_drop_values(const struct mistakes *m, int first, int argc, char **argv);

/* --- settings: long options, keys of the configuration file, or both, with the same values in either place --- */

/* The settings that its setters take are a struct nsplit_options. */
extern const struct option_table nsplit_option_table;

/* Clears what would be added to: a list, or --dump-level and --exclude together. */
void setting_begin(struct nsplit_options *o, const struct option_entry *entry);

/* The defaults; settings_init_sizes() sets those of blocks and chunks only. */
void settings_init(struct nsplit_options *o);
void settings_init_sizes(struct nsplit_options *o);
void settings_init_codec(struct nsplit_options *o);
/* As -C does. */
enum status setting_choose_codec(struct nsplit_options *o, const char *text, struct error *e);

/*
 * Like names_expand(), after replacing each {now} in pattern by stamp.  In a command, only {now} and
 * ranges of numbers are replaced.
 */
enum status stamp_expand(struct names *list, const char *pattern, const char *stamp, size_t limit, struct error *e);

/*
 * Reads the file of o->config_choice, or else the file that NSPLIT_CONFIG in the environment names
 * (either empty: none), or else /etc/nsplit.conf, which need not exist.  Sets o->config and
 * o->config_text.  STATUS_USAGE: a line is wrong.
 *
 * If others may write to the file, sets o->config_unsafe, and leaves out its commands.
 *
 * reporter: NULL, or lines that are wrong, and a file that cannot be read, are reported and skipped.
 */
enum status nsplit_config_read(struct nsplit_options *o, const struct mistake_reporter *reporter, struct error *e);

#endif
