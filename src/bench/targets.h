// SPDX-License-Identifier: GPL-2.0-or-later
/* The outputs of a benchmark: written repeatedly, read back, and removed at the end. */
#ifndef NSPLIT_BENCH_TARGETS_H
#define NSPLIT_BENCH_TARGETS_H

#include "bench/settings.h"
#include "io/source.h"

/* The state of the page cache before each measurement. */
enum caches {
	CACHES_NONE,			/* source and outputs are not cached */
	CACHES_KEPT,			/* nothing, as requested, or because there are no members */
	CACHES_MEMBERS,			/* members are dropped */
	CACHES_DROPPED,			/* it is dropped */
	CACHES_FILES,			/* not permitted; source and members are dropped */
};

struct target {
	const char *name;		/* borrowed from the settings */
	bool made;			/* a file that the benchmark has created */
	bool making;			/* the running capture creates it */
	bool on_disk;			/* a file or a block device, which can be read and cached */
};

struct targets {
	struct target *targets;		/* the most that a cell needs; owned */
	unsigned count;
	unsigned readable;		/* number of targets, from the first, that can be read */
	struct target join;		/* where the source is restored to; it is not removed */
	bool force;			/* existing files may be overwritten */
	const struct source *source;	/* borrowed */
	enum caches caches;
};

/* STATUS_USAGE: there are too few, or one can be written only once. */
enum status targets_init(struct targets *t, const struct bench_settings *settings,
			 const struct source *source, unsigned needed, struct error *e);
void targets_free(struct targets *t);

/* Removes the files that the benchmark has created. */
void targets_remove(const struct targets *t);

/*
 * Removes or empties files before they are written, so that freeing their space is not measured.
 */
void targets_clear(const struct targets *t, struct target *targets, unsigned count);

/* Before each measurement. */
void targets_drop_caches(const struct targets *t);

#endif
