// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nsplit under the name makedumpfile: the command line, the results and the messages that scripts of kdump expect of
 * makedumpfile 1.7.8, with the work done by nsplit and njoin.  nsplit-makedumpfile(1) has a row for each of its options.
 */
#ifndef NSPLIT_CMD_MAKEDUMPFILE_MAKEDUMPFILE_H
#define NSPLIT_CMD_MAKEDUMPFILE_MAKEDUMPFILE_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/option_table.h"

/*
 * Was the program called by that name, or with --as-makedumpfile as its first argument?  That is removed, and messages
 * then begin with "makedumpfile:".
 */
bool makedumpfile_is_meant(int *argc, char **argv);

/* Returns the exit status: 0 or 1. */
int makedumpfile_main(int argc, char **argv);

/* --- the command line ------------------------------------------------------------------ */

/* As many as makedumpfile takes. */
enum { LEVELS_MAX = 32 };

/* The bits of --message-level. */
enum {
	SAY_PROGRESS = 1,
	SAY_COMMON = 2,
	SAY_ERRORS = 4,			/* always printed: nobody else would say what is wrong */
	SAY_DEBUG = 8,
	SAY_REPORT = 16,
	SAY_ALL = 31,
	SAY_USUAL = SAY_PROGRESS | SAY_COMMON | SAY_ERRORS,
};

/* What is to be done, in the order in which makedumpfile looks. */
enum makedumpfile_job {
	JOB_REARRANGE,			/* -R */
	JOB_REASSEMBLE,
	JOB_LOG,			/* --dump-dmesg */
	JOB_DUMP,
};

/* Texts are parts of the command line. */
struct makedumpfile_options {
	const char *codec;		/* the name, as nsplit has it; NULL: pages are not compressed */
	unsigned levels[LEVELS_MAX];	/* the next one if there is no space */
	unsigned level_count;		/* at least 1 */
	uint64_t limit;			/* of the dump's size; 0: none */
	uint32_t threads;		/* 0: not given */
	unsigned says;			/* SAY_...: of --message-level */
	bool debug, report;		/* say that, too */
	bool elf, flattened, force, split;
	bool rearrange, reassemble, log, partial_log;
	bool check, dry_run, no_mmap, excludes_map;
	const char *work_dir;
	const char *vmlinux, *vmcoreinfo;
	bool ignored[OPTIONS_MAX];	/* options that are not needed here, by the number of the entry */
	struct error refused;		/* of the first option that is not done here */
	char **operands;
	int operand_count;
};

/*
 * STATUS_USAGE: makedumpfile refuses these options, alone or together, or operands are missing or too many.  In the capture
 * kernel, it is left out what is wrong, as far as a dump can be written without it.
 */
enum status makedumpfile_options_read(struct makedumpfile_options *o, int argc, char **argv, struct error *e);

/* Names the options that are ignored. */
void makedumpfile_say_ignored(const struct makedumpfile_options *o);

/* Is this to be printed? */
bool makedumpfile_says(const struct makedumpfile_options *o, unsigned bit);

enum makedumpfile_job makedumpfile_job(const struct makedumpfile_options *o);

/* The number of the first operand that is written; all others come before it. */
int makedumpfile_first_output(const struct makedumpfile_options *o);

/* --- the original program ------------------------------------------------------------- */

/*
 * The original makedumpfile, which packages and capture images keep beside nsplit under the name makedumpfile.distrib.
 * It does what is not done here, and takes over if a dump fails before its output is opened.
 */
extern const char original_name[];

/* False: there is none that can be executed. */
bool original_find(char path[PATH_MAX]);

/*
 * Says why, and executes it with the arguments of this program.  heeded: signals that it must not ignore (base/signals.h).
 * Returns only if there is none, or it cannot be executed, which is reported.
 */
void original_run(char **argv, const sigset_t *heeded, const char *why);

#endif
