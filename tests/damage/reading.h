// SPDX-License-Identifier: GPL-2.0-or-later
/* A set read the way njoin does it, and what came of it. */
#ifndef NSPLIT_TESTS_DAMAGE_READING_H
#define NSPLIT_TESTS_DAMAGE_READING_H

#include <pthread.h>

#include "base/names.h"
#include "export/copy.h"
#include "set/walk.h"

enum reading_way {
	READING_JOIN,			/* njoin -o FILE */
	READING_VERIFY,			/* njoin --verify */
	READING_SALVAGE,		/* njoin --salvage -o FILE */
	READING_WAYS
};

struct reading {
	enum reading_way way;
	const struct names *names;
	unsigned threads;
	int output;			/* a file in memory, emptied first */

	bool good;			/* exit status 0 */
	bool failed;			/* exit status 1 without a file */
	uint64_t size;			/* of what was put back */
	uint64_t missing;		/* bytes in holes */
	/* Told by any thread of the walk, under the lock; it lives as long as reading_run(). */
	pthread_mutex_t lock;
	uint64_t unreadable;		/* bytes */
	unsigned told;			/* errors */
	bool all_named;			/* each of them names one of the files and a place */
	struct error error;		/* the last one */

	const char *broken;		/* what cannot be, or NULL */
	/* With salvage, 1 for each byte below source_length that was said to be missing. */
	uint8_t *holes;
	size_t source_length;
};

void reading_run(struct reading *r);

#endif
