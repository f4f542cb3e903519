// SPDX-License-Identifier: GPL-2.0-or-later
/* The state of nsplit, which all its parts share. */
#ifndef NSPLIT_CMD_NSPLIT_NSPLIT_H
#define NSPLIT_CMD_NSPLIT_NSPLIT_H

#include <signal.h>
#include <stdio.h>

#include "base/digest.h"
#include "base/signals.h"
#include "capture/memory/memory_limits.h"
#include "cmd/common/message.h"
#include "cmd/common/page_policy.h"
#include "cmd/nsplit/dump.h"
#include "cmd/nsplit/options.h"

/* main() or makedumpfile_main() has it and passes it to all functions. */
struct nsplit {
	struct nsplit_options options;
	struct source *source;		/* owned; unless it is set before nsplit_run(), that opens it */
	struct sink *sinks;		/* one for each output; owned */
	unsigned count;
	unsigned unusable;		/* see nsplit_probe() */
	/* For whom only a complete dump is a success: all other exit statuses are EXIT_FAILED. */
	bool all_or_failed;
	struct page_policy page_policy;
	struct nsplit_dump dump;
	struct capture *capture;
	struct progress progress;
	int signal_fd;
	sigset_t heeded;		/* see signals_heeded() */
	struct stop stop;
	pid_t parent;			/* see supervise() */
	bool hung;			/* a thread hangs in a call: this process may not end */
	bool may_hang;			/* or another call may hang: an output has failed */
	struct message_list unreadable;	/* ranges; any thread adds to it */
	/*
	 * --digest: of each output, the SHA-256 of the records of a member (format/superblock.h), or of all bytes of a dump; "":
	 * unknown.  NULL: none is wanted, or known yet; owned.
	 */
	char (*digests)[DIGEST_TEXT_LENGTH + 1];
	_Atomic bool *begun;		/* set before the first output is opened, or if one is refused; NULL: nobody asks */
	/* Called when the outputs are closed, before files that are useless are removed; NULL: nothing is. */
	void (*closed)(void *arg, const struct nsplit *nsplit);
	void *closed_arg;
	struct limit memory_most;	/* no more than this is planned for; bytes 0: all that there is */
	struct error why;		/* nsplit_run() has failed, or something is missing: the reason; STATUS_OK: neither */
	bool memory_short;		/* not even the least that a capture needs fits, and that is tried */
};

struct supervisor;

/*
 * In this order: begin, options, supervise, run, end.  Before anything is printed, and before a parent is made that
 * passes signals on.
 */
void nsplit_begin(struct nsplit *nsplit);
/* Makes a parent (base/signals.h) if the options need one, and begins messages. */
void nsplit_supervise(struct nsplit *nsplit, const struct supervisor *supervisor);
/* Captures as the options say; returns the exit status. */
int nsplit_run(struct nsplit *nsplit);
/* Between two runs, of which the second one may have other options. */
void nsplit_reset(struct nsplit *nsplit);
/* Frees all of it and returns the exit status; does not return if a thread hangs. */
int nsplit_end(struct nsplit *nsplit, int status);

/*
 * After the capture: messages, --stats, files that are removed.  outcome: of the capture; e: its error.  Returns the exit
 * status.
 */
int nsplit_finish(struct nsplit *nsplit, enum status outcome, struct error *e);
/*
 * Waits until standard error has accepted all messages.  False: it does not, so a thread may be
 * left in a write, and nothing may be freed.  status: what the program will return.
 */
bool nsplit_settle_messages(struct nsplit *nsplit, int status);

struct memory_plan;

/* The plan of a capture, with the memory that it takes: for --dry-run, and as a message for --verbose. */
void report_plan(FILE *file, const struct nsplit *nsplit, const struct memory_plan *plan);
void report_plan_as_message(const struct nsplit *nsplit, const struct memory_plan *plan);
/* "file", "block device", ... */
const char *nsplit_sink_kind(const struct sink *sink);
/* Writes the file of --stats (nsplit-check(1), JSON OBJECTS). */
enum status nsplit_stats_write(const struct nsplit *nsplit, enum status outcome, struct error *e);

#endif
