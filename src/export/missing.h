// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The missing parts of a set, as a walk that reads and checks all of it finds them: what is unreadable, and
 * the holes that it leaves.  This is more than set/read/contents.h finds, which reads no payload.
 */
#ifndef NSPLIT_EXPORT_MISSING_H
#define NSPLIT_EXPORT_MISSING_H

#include <pthread.h>

#include "base/range.h"
#include "set/read/walk.h"

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
