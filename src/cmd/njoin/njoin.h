// SPDX-License-Identifier: GPL-2.0-or-later
/* All of njoin: njoin.c opens the set and lists or describes it, join.c writes or verifies it, run.c does the work. */
#ifndef NSPLIT_CMD_NJOIN_NJOIN_H
#define NSPLIT_CMD_NJOIN_NJOIN_H

#include "base/json.h"
#include "base/signals.h"
#include "cmd/common/message.h"
#include "cmd/njoin/options.h"
#include "export/kdump_export.h"
#include "export/output_file.h"
#include "set/read/walk.h"

/* --- findings ---------------------------------------------------------------------------- */

struct njoin_findings {
	bool plain;			/* the members are a plain core or a dump, which nobody has captured */
	const struct dump *dump;	/* a dump; borrowed */
	uint64_t dump_pages;		/* that are missing, if all of it was read */
	/* Any thread adds to these. */
	struct message_list unreadable;	/* ranges */
	struct message_list damage;	/* records and members */
};

/* Results of njoin, from best to worst.  The worst finding determines the exit status. */
enum njoin_finding {
	FOUND_PERFECT,
	FOUND_UNREADABLE,		/* data that could not be read when it was captured */
	FOUND_INCOMPLETE,		/* data that is missing or damaged */
	FOUND_FAILURE,			/* an error that ended the work */
	FOUND_USAGE,			/* wrong options or operands, or an output that was refused */
};

/* Reports an error that ends the work. */
enum njoin_finding njoin_failed(const struct error *e);

/* arg is struct njoin_findings.  Any thread may call these. */
void njoin_report_unreadable(void *arg, uint64_t offset, uint64_t length);
void njoin_report_damage(void *arg, const struct error *e);

/* Reports the number of unreadable ranges that were not listed. */
void njoin_report_more_unreadable(const struct njoin_findings *f);

/* Reports why pages of a file may be missing.  Returns whether it has reported anything. */
bool njoin_report_file(const struct dump_file *f);
/* Reports why a dump is incomplete, and how many pages are missing. */
void njoin_report_dump(const struct njoin_findings *f);

/* --- outputs ----------------------------------------------------------------------------- */

/* All zero at first. */
struct njoin_outputs {
	struct output_file *files;	/* those that were probed; owned */
	size_t count;
};

/*
 * Examines the outputs without changing anything.  STATUS_USAGE as for output_file_probe(), and for
 * an output that is a member, is named twice, or is a stream although the format requires random
 * access.  set may be empty.  Of devices, the kernel refuses what shares storage with a member: each is
 * opened for exclusive use.
 */
enum status njoin_probe_outputs(struct njoin_outputs *outputs, const struct njoin_options *o,
				const struct set *set, struct error *e);
enum status njoin_open_outputs(const struct njoin_outputs *outputs, struct error *e);

/* True if all outputs can be written in any order; true without outputs. */
bool njoin_seekable(const struct njoin_outputs *outputs);

/* output_file_free() for all outputs. */
void njoin_free_outputs(struct njoin_outputs *outputs);

/* --- work that may take long: another thread does it, while this one shows progress and handles signals --- */

/* All zero at first. */
struct njoin_input {
	struct set set;			/* owned */
	uint64_t from, to;		/* the range of the source to write or verify */
};

struct njoin_run {
	const struct njoin_options *options;
	struct njoin_input *input;	/* a walk changes the size of a stream */
	struct njoin_outputs outputs;	/* a request to stop removes them */
	int signal_fd;			/* -1: signals have their default action */
	struct stop stop;
	struct walk *walk;		/* the current or the last one; NULL: none so far; owned */
	struct progress progress;	/* of the walk */
	double began, started;		/* the command, and the walk */
};

typedef enum status njoin_work(void *arg, struct error *e);

/* Runs a step.  A request to stop removes the outputs and ends the program. */
enum status njoin_run_step(struct njoin_run *run, njoin_work *work, void *arg, struct error *e);

/*
 * Runs the step that syncs the outputs and gives files their names, with progress.  Only this makes
 * what was written count, so a request to stop waits for it; the caller then ends the program.  A
 * second request does what one does in any other step, as does the first if an output is a stream.
 */
enum status njoin_run_sync(struct njoin_run *run, njoin_work *work, void *arg, struct error *e);

/*
 * Walks the set, after freeing the walk before it, if any.  Threads, range, signals and progress
 * are set here; the caller sets all other fields of settings.
 */
enum status njoin_run_walk(struct njoin_run *run, struct walk_settings *settings, struct error *e);

/* Removes unfinished output files and dies of the signal that asked to stop. */
void njoin_die(struct njoin_run *run);

/* ------------------------------------------------------------------------------------------- */

/* njoin_run() has it. */
struct njoin {
	struct njoin_options options;	/* constant once the set is open */
	struct njoin_input input;	/* likewise, but for the size of a stream, which a walk finds */
	struct njoin_run run;
	struct njoin_findings findings;
	struct set_absent absent;	/* of what is missing or left out, if it was searched for */
	bool absent_known;
	struct kdump_export kdump;
	struct roots *roots;		/* of --verify; NULL: this build does not check them; owned */
};

/* The line at the end: what the last walk did, and how fast. */
void njoin_report_summary(const struct njoin *njoin);

/* Finds what is missing or left out, by the indexes and, with layers, the heads of records; once. */
enum status njoin_find_absent(struct njoin *njoin, struct error *e);

/*
 * STATUS_USAGE: --range goes beyond the end of the source.  The size of a stream may be known only
 * after a walk.
 */
enum status njoin_check_range(const struct njoin_input *in, const struct njoin_options *o, struct error *e);

/*
 * Does what the options say; messages have begun, and signals are held (signals_hold_requests()).  Returns the exit
 * status.  The options may be changed: names that do not exist are removed.
 */
int njoin_run(struct njoin_options *options);

/*
 * Writes what was asked for, the source or kdump-compressed files, or verifies the set, which is open: from the checks
 * before it to the finished outputs.
 */
enum njoin_finding njoin_join(struct njoin *njoin);

/*
 * --- descriptions on standard output: --info of a set, and --list of the core in it ---
 *
 * A show_... function prints lines of text if json has no file; otherwise it writes members of the object that is
 * open, as JSON.
 */

/*
 * absent is what njoin_find_absent() found; --info needs it only of dumps and with layers.  Returns whether the set is
 * complete.
 */
bool info_print(const struct njoin_options *o, const struct set *set, const struct set_absent *absent);

/* *complete: nothing is missing from the source or from the core in it. */
enum status list_print(const struct njoin_options *o, const struct set *set,
		       const struct set_absent *absent, bool *complete, struct error *e);

/* A line, or a part of one, if it is text.  Bytes that are not printable are replaced. */
void show_text(const struct json *json, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Each class of pages that a capture with layers kept or left out. */
void show_captured(struct json *json, const struct set *set, const struct layer_totals *totals);

/* What makedumpfile has erased, as notes of the core say; as text, only the first lines unless all are wanted. */
void show_erased(struct json *json, const struct core *core, bool all);

void show_dump(struct json *json, const struct dump *d);

/* Whether the capture was stopped, and that records were not checked: only indexes are read. */
void show_checks(struct json *json, const struct set *set);

/* The last line. */
void show_end(struct json *json, bool complete);

#endif
