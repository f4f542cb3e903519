// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One damaged set on trial: read in each way that njoin has, and each outcome judged.
 */
#ifndef NSPLIT_TESTS_DAMAGE_TRIAL_H
#define NSPLIT_TESTS_DAMAGE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRIAL_MEMBERS = 8, TRIAL_TEXT = 900 };

struct trial_file {
	uint8_t *bytes;			/* owned */
	size_t length;
};

/* A set as it was made, and where it is laid out to be read. */
struct trial_set {
	const char *name;
	unsigned count;
	struct trial_file members[TRIAL_MEMBERS];
	struct trial_file source;	/* what it must be joined into */
	bool stream;			/* its one member can be read as a pipe, too */
	uint64_t unreadable;		/* bytes */
	/* Of the process that tries: files in memory, a member each, and what is put back. */
	int fds[TRIAL_MEMBERS];
	int output;
};

/* What must be true of an outcome besides that it is never wrong bytes without a word. */
enum trial_demand {
	TRIAL_NAMED,			/* an error names file and place */
	TRIAL_MISSING,			/* or ranges are said to be missing */
	TRIAL_WHOLE,			/* and there must be none: the set is good */
	TRIAL_ANY,			/* checksums are right, so the bytes may be others */
};

enum trial_verdict {
	TRIAL_HARMLESS,			/* all ways give the source and tell nothing */
	TRIAL_FOUND,			/* all ways tell of it */
	TRIAL_WRONG,
};

/* Reads DIRECTORY/m0, m1... and DIRECTORY/source; false, and why on stderr, if it cannot. */
bool trial_load(struct trial_set *set, const char *directory);
void trial_free(struct trial_set *set);

/* Once a process, before the first trial: lays out the members. */
void trial_lay_out(struct trial_set *set);

/* Changes a member as it is laid out; len bytes become its whole length. */
void trial_put(struct trial_set *set, unsigned member, const uint8_t *bytes, size_t len);
void trial_poke(struct trial_set *set, unsigned member, size_t at, const uint8_t *bytes,
		size_t len);

/*
 * Reads what is laid out, as the members that names lists by number (as laid out, if it is
 * NULL).  why: what was wrong, or the error that was told, of TRIAL_TEXT bytes.  turn varies
 * threads and order.
 */
enum trial_verdict trial_judge(struct trial_set *set, const unsigned *names, unsigned count,
			       enum trial_demand demand, unsigned turn, char why[TRIAL_TEXT]);

#endif
