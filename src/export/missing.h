// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a set has not of its source: the holes between its records, and the blocks that could not be
 * read when it was captured.
 */
#ifndef NSPLIT_EXPORT_MISSING_H
#define NSPLIT_EXPORT_MISSING_H

#include <pthread.h>

#include "core/pages.h"
#include "set/walk.h"

/*
 * All of it, sorted, none touching another; *missing is to be freed in any case.  The set has no
 * streams.  A record with unreadable blocks that is damaged, all spares of it as well, is missing
 * whole: which blocks of it they were, nobody knows any more.  Other damage shows only when
 * it is read.
 */
enum status missing_find(const struct set *set, struct range **missing, size_t *count,
			 struct error *e);

/* The same; told of each record that is missing whole for that, by its place in the map. */
struct missing_watch {
	void (*damaged)(void *arg, size_t location, const struct error *e);
	void *arg;
};

enum status missing_find_watched(const struct set *set, const struct missing_watch *watch,
				 struct range **missing, size_t *count, struct error *e);

/*
 * The same of a set that may be damaged, found by a walk that reads and checks all of it:
 * what it tells to be unreadable, and what it did not deliver.  That is more than missing_find()
 * knows: where the better copy of a record is damaged, the blocks that the other one lacks.
 */
struct missing_reported {
	pthread_mutex_t lock;		/* of all below, during the walk */
	struct range_list list;		/* sorted and merged by missing_reported_end() */
	enum status status;
	struct error error;
};

void missing_reported_init(struct missing_reported *told);
void missing_reported_free(struct missing_reported *told);
/* Any thread, several at once. */
void missing_report(struct missing_reported *told, uint64_t offset, uint64_t length);
/* After the walk. */
enum status missing_reported_end(struct missing_reported *told, const struct walk *walk, struct error *e);

#endif
