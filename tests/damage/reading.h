// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads a set as njoin does, and records the result. */
#ifndef NSPLIT_TESTS_DAMAGE_READING_H
#define NSPLIT_TESTS_DAMAGE_READING_H

#include <pthread.h>

#include "base/names.h"
#include "export/output_file.h"
#include "set/read/walk.h"

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
	uint64_t size;			/* of the output */
	uint64_t missing;		/* bytes in holes */
	/*
	 * Set by any thread of the walk, under the lock, which exists as long as reading_run()
	 * runs.
	 */
	pthread_mutex_t lock;
	uint64_t unreadable;		/* bytes */
	unsigned told;			/* errors */
	bool all_named;			/* each of them names a file and an offset */
	struct error error;		/* the latest one */

	const char *broken;		/* a contradiction that was found, or NULL */
	/* With salvage: 1 for each byte below source_length that was reported missing. */
	uint8_t *holes;
	size_t source_length;
};

void reading_run(struct reading *r);

#endif
