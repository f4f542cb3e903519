// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads a damaged set in every way that njoin offers, and judges each result. */
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

/* A set as it was created, and the files in which it is laid out for reading. */
struct trial_set {
	const char *name;
	unsigned count;
	struct trial_file members[TRIAL_MEMBERS];
	struct trial_file source;	/* the expected result */
	uint64_t unreadable;		/* bytes */
	/*
	 * Of the process that tries: files in memory, one for each member, and one for the output.
	 */
	int fds[TRIAL_MEMBERS];
	int output;
};

/* What a result must satisfy.  In addition, wrong bytes must never go unreported. */
enum trial_demand {
	TRIAL_NAMED,			/* an error names file and offset */
	TRIAL_MISSING,			/* or ranges are reported missing */
	TRIAL_WHOLE,			/* there must be no error: the set is good */
	TRIAL_ANY,			/* checksums are correct, so the bytes may differ */
};

enum trial_verdict {
	TRIAL_HARMLESS,			/* all ways return the source and report nothing */
	TRIAL_FOUND,			/* all ways report it */
	TRIAL_WRONG,
};

/* Reads DIRECTORY/m0, m1... and DIRECTORY/source.  False, with a message on stderr: it cannot. */
bool trial_load(struct trial_set *set, const char *directory);
void trial_free(struct trial_set *set);

/* Lays out the members.  Called once in each process, before the first trial. */
void trial_lay_out(struct trial_set *set);

/* Overwrites a part of a member; if len is its whole length, that changes. */
void trial_put(struct trial_set *set, unsigned member, const uint8_t *bytes, size_t len);
void trial_poke(struct trial_set *set, unsigned member, size_t at, const uint8_t *bytes,
		size_t len);

/*
 * Reads the members that names lists by number (NULL: all). why, of TRIAL_TEXT bytes, gets what was
 * wrong, or the error that was reported. turn varies threads and order.
 */
enum trial_verdict trial_judge(struct trial_set *set, const unsigned *names, unsigned count,
			       enum trial_demand demand, unsigned turn, char why[TRIAL_TEXT]);

#endif
