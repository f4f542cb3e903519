// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All of njoin: options.c reads the command line; njoin.c opens the set, lists or describes it; join.c writes or
 * verifies it; run.c does the work.
 */
#ifndef NSPLIT_CMD_NJOIN_NJOIN_H
#define NSPLIT_CMD_NJOIN_NJOIN_H

#include "base/json.h"
#include "base/names.h"
#include "base/signals.h"
#include "cmd/common/common_options.h"
#include "cmd/common/left_out.h"
#include "cmd/common/message.h"
#include "cmd/common/progress.h"
#include "core/log.h"
#include "export/kdump_export.h"
#include "export/output_file.h"
#include "set/dump.h"
#include "set/read/walk.h"

enum njoin_mode {
	NJOIN_WRITE,
	NJOIN_VERIFY,
	NJOIN_INFO,
	NJOIN_LIST,
	NJOIN_DMESG,
};

/* A set has no more members either. */
enum { OUTPUTS_MAX = MEMBERS_MAX };

/* The form that is written. */
enum njoin_format {
	NJOIN_ELF,		/* the bytes of the source */
	NJOIN_KDUMP,
};

struct njoin_options {
	enum njoin_mode mode;
	enum njoin_format format;
	bool format_given;
	struct names outputs;		/* owned */
	struct left_out_option left_out;
	bool raises_level;		/* to what a dump lacks anyway */
	bool keeps_pages;		/* of a dump: without codec, pages that are not compressed stay so */
	const struct codec *codec;	/* of --compress; NULL: not given */
	int level;
	unsigned threads;
	enum progress_mode progress;
	bool force, quiet, verbose;
	bool overwrite_dumps;		/* as force, and cores, dumps and members, too */
	bool any_owner;
	bool sparse;
	bool salvage;
	bool zero_left_out;		/* with NJOIN_ELF, pages that the capture left out */
	bool json;
	enum log_part log_part;
	bool range_given;
	uint64_t from, length;		/* of --range */
	struct names members;		/* expanded; owned */
	/* With NJOIN_DMESG, is called before the log is written; dump NULL: it is a set or a core.  NULL: nothing is. */
	void (*inspect)(void *arg, const struct vmcoreinfo *info, const struct dump *dump);
	void *inspect_arg;
};

/* The defaults. */
void njoin_options_init(struct njoin_options *o);

/*
 * Reads the command line.  Returns OPTIONS_READ, or the status to exit with at once: after
 * --help and the like, or an error, which has been reported.
 */
int njoin_options_read(struct njoin_options *o, int argc, char **argv);
void njoin_options_free(struct njoin_options *o);

/* ------------------------------------------------------------------------------------------- */

/* What runs in another thread. */
enum njoin_phase {
	PHASE_STEP,
	PHASE_WALK,
	PHASE_SYNC,
};

/* The state of the program.  njoin_run() has it, and passes it to all functions. */
struct njoin {
	struct njoin_options options;	/* constant once the set is open */
	struct set set;			/* likewise; owned */
	uint64_t from, to;		/* the range of the source to write or verify */
	struct output_file *outputs;	/* those that were probed; a request to stop removes them; owned */
	size_t outputs_count;
	int signal_fd;			/* -1: signals have their default action */
	struct stop stop;
	enum njoin_phase phase;
	struct walk *walk;		/* the current or the last one; NULL: none so far; owned */
	struct progress progress;	/* of the current step */
	double began, started;		/* the command, and the step */
	/* Any thread adds to these. */
	struct message_list unreadable;	/* ranges */
	struct message_list damage;	/* records and members */
	uint64_t dump_pages;		/* of a dump, those that are missing, if all of it was read */
	struct set_absent absent;	/* of what is missing or left out, if it was searched for */
	bool absent_known;
	bool log_lost;			/* a part of the kernel log */
	struct kdump_export kdump;
	struct roots *roots;		/* of --verify; NULL: this build does not check them; owned */
};

/* Results of njoin, from best to worst.  The worst finding determines the exit status. */
enum njoin_finding {
	FOUND_PERFECT,
	FOUND_UNREADABLE,		/* data that could not be read when it was captured */
	FOUND_INCOMPLETE,		/* data that is missing or damaged */
	FOUND_FAILURE,			/* an error that ended the work */
	FOUND_USAGE,			/* wrong options or operands, or an output that was refused */
};

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

/* Reports an error that ends the work. */
enum njoin_finding njoin_failed(const struct error *e);

/* Reports damage to a record or member; arg is struct njoin.  Any thread may call this. */
void njoin_report_damage(void *arg, const struct error *e);

/* Reports why pages of a file may be missing.  Returns whether it has reported anything. */
bool njoin_report_file(const struct dump_file *f);

/* The line at the end: what the last walk did, and how fast. */
void njoin_report_summary(const struct njoin *njoin);

/* Finds what is missing or left out, by the indexes and, with layers, the heads of records; once. */
enum status njoin_find_absent(struct njoin *njoin, struct error *e);

/* --- outputs ----------------------------------------------------------------------------- */

/*
 * Examines the outputs without changing anything.  STATUS_USAGE as for output_file_probe(), and for
 * an output that is a member or is named twice.  The set may be empty.  Of devices, the kernel refuses what shares
 * storage with a member: each is opened for exclusive use.
 */
enum status njoin_probe_outputs(struct njoin *njoin, struct error *e);

/*
 * Opens the outputs, and from then on handles signals.  Opening a pipe may wait long for its reader, and any signal may
 * end the program meanwhile.  Once there is a file to remove, none may.
 */
enum status njoin_open_outputs(struct njoin *njoin, struct error *e);

/* True if all outputs can be written in any order; true without outputs. */
bool njoin_seekable(const struct njoin *njoin);

/* output_file_free() for all outputs. */
void njoin_free_outputs(struct njoin *njoin);

/* --- work that may take long: another thread does it, while this one shows progress and handles signals --- */

typedef enum status njoin_work(struct njoin *njoin, struct error *e);

/*
 * Runs a step.  A request to stop removes the outputs and ends the program.
 *
 * PHASE_SYNC: the step syncs the outputs and gives files their names, with progress.  Only this makes
 * what was written count, so a request to stop waits for it; the caller then ends the program.  A
 * second request does what one does in any other step, as does the first if an output is a stream.
 */
enum status njoin_run_step(struct njoin *njoin, enum njoin_phase phase, njoin_work *work, struct error *e);

/* Progress, from now on: returns the seconds between two calls that may show a line. */
double njoin_begin_progress(struct njoin *njoin);
/* Clears the line if one was shown: what rarely takes long mostly shows none. */
void njoin_end_progress(struct njoin *njoin, double interval);

/*
 * Walks the set, after freeing the walk before it, if any.  Threads, range, signals and progress
 * are set here; the caller sets all other fields of settings.
 */
enum status njoin_run_walk(struct njoin *njoin, struct walk_settings *settings, struct error *e);

/* Removes unfinished output files and dies of the signal that asked to stop. */
void njoin_die(struct njoin *njoin);

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
