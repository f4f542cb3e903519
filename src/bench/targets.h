// SPDX-License-Identifier: GPL-2.0-or-later
/* The outputs as a benchmark has them: written again and again, read, and taken away at the end. */
#ifndef NSPLIT_BENCH_TARGETS_H
#define NSPLIT_BENCH_TARGETS_H

#include "bench/settings.h"
#include "io/source.h"

/* What becomes of the page cache before each measurement. */
enum caches {
	CACHES_NONE,			/* neither source nor outputs are in it */
	CACHES_KEPT,			/* as was asked for */
	CACHES_DROPPED,			/* all of it */
	CACHES_FILES,			/* what is allowed: the pages of source and members */
};

struct target {
	const char *name;		/* the settings' */
	bool made;			/* a file that is there because of us */
	bool making;			/* a capture runs that makes it: it was not there before */
	bool on_disk;			/* a file or a block device: it can be read, and cached */
};

struct targets {
	struct target *targets;		/* as many as any cell needs; owned */
	unsigned count;
	unsigned readable;		/* so many of them, the first ones, can be read */
	struct target join;		/* where sets are put together; it is not removed */
	bool force;			/* what was there before may be written over */
	const struct source *source;	/* borrowed */
	enum caches caches;
};

/* STATUS_USAGE: not enough of them, or one that takes one capture only. */
enum status targets_init(struct targets *t, const struct bench_settings *settings,
			 const struct source *source, unsigned needed, struct error *e);
void targets_free(struct targets *t);

/* Removes the files that are there because of us. */
void targets_remove(const struct targets *t);

/*
 * Before it is written: what lies there from the time before is given back now, and not
 * within the time of this one.
 */
void targets_clear(const struct targets *t, struct target *targets, unsigned count);

/* Before each measurement. */
void targets_drop_caches(const struct targets *t);

#endif
