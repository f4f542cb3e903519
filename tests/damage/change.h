// SPDX-License-Identifier: GPL-2.0-or-later
/* The changes that are made to a set, numbered for each kind. */
#ifndef NSPLIT_TESTS_DAMAGE_CHANGE_H
#define NSPLIT_TESTS_DAMAGE_CHANGE_H

#include "trial.h"

enum change_kind {
	CHANGE_NONE,			/* none: the set must be good */
	CHANGE_FLIP,			/* one bit */
	CHANGE_CUT,			/* a member is cut short at any byte */
	CHANGE_CUT_UNIT,		/* at a multiple of 4096 */
	CHANGE_SWAP,			/* two pieces of the same kind and length are swapped */
	CHANGE_FOREIGN,			/* a piece is replaced by one of another set */
	CHANGE_REPEAT,			/* a member twice, by name or as a copy, or one more */
	CHANGE_LIMIT,			/* a field at or beyond its limit, with correct checksums */
	CHANGE_KINDS
};

extern const char *const change_names[CHANGE_KINDS];

/* A piece of a member. */
struct piece_place {
	unsigned member;
	size_t at, length;
	int kind;			/* enum piece_kind */
};

enum { PIECES = 256 };

struct changes {
	struct trial_set *set;
	struct piece_place pieces[PIECES];
	unsigned count;
};

/* Finds the pieces of the set. */
void changes_init(struct changes *c, struct trial_set *set);

/* The number of changes of this kind. */
uint64_t changes_count(const struct changes *c, enum change_kind kind);

/* Makes a change, judges the result, and restores the set. */
enum trial_verdict changes_try(struct changes *c, enum change_kind kind, uint64_t number,
			       char why[TRIAL_TEXT]);

#endif
