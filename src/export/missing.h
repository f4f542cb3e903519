// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The missing parts of a set: the holes between its records, and the blocks that could not be read
 * when it was captured.
 */
#ifndef NSPLIT_EXPORT_MISSING_H
#define NSPLIT_EXPORT_MISSING_H

#include <pthread.h>

#include "core/pages.h"
#include "set/contents.h"
#include "set/walk.h"

/*
 * Finds everything that is missing, as a sorted and merged list, without reading the whole set.
 * The set has no streams and no layers.  Of watch, only damaged() is called.  Free *missing in any
 * case.
 *
 * If a record with unreadable blocks and all its duplicates are damaged, damaged() is called and
 * the whole record counts as missing, since it is unknown which of its blocks were unreadable.
 * Other damage is found only when the record is read, and so is everything that is unreadable in a
 * plain file.
 */
enum status missing_find(const struct set *set, const struct contents_watch *watch,
			 struct range **missing, size_t *count, struct error *e);

/*
 * The same, gathered during a walk that reads and checks the whole set: the blocks that it reports
 * as unreadable, and the holes that it leaves.  This finds more than missing_find(), which does not
 * know, for example, that the better copy of a record is damaged and that the other one lacks some
 * blocks.
 */
struct missing_reported {
	pthread_mutex_t lock;		/* covers everything below during the walk */
	struct range_list list;		/* sorted and merged by missing_reported_end() */
	enum status status;
	struct error error;
};

void missing_reported_init(struct missing_reported *m);
void missing_reported_free(struct missing_reported *m);
/* Called by any thread, possibly by several at once. */
void missing_report(struct missing_reported *m, uint64_t offset, uint64_t length);
/* After the walk. */
enum status missing_reported_end(struct missing_reported *m, const struct walk *walk,
				 struct error *e);

#endif
