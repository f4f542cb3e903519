// SPDX-License-Identifier: GPL-2.0-or-later
/* What is done to a set: all changes of a kind, by number. */
#ifndef NSPLIT_TESTS_DAMAGE_CHANGE_H
#define NSPLIT_TESTS_DAMAGE_CHANGE_H

#include "trial.h"

enum change_kind {
	CHANGE_NONE,			/* the set as it is: it must be good */
	CHANGE_FLIP,			/* one bit */
	CHANGE_CUT,			/* a member is cut short, at any byte */
	CHANGE_CUT_UNIT,		/* at a multiple of 4096 */
	CHANGE_SWAP,			/* two pieces of a kind and a length change places */
	CHANGE_FOREIGN,			/* a piece becomes one of another set */
	CHANGE_REPEAT,			/* a member given twice, by name or as a copy; one more */
	CHANGE_LIMIT,			/* a field at its limit or beyond, the checksums right */
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

/* Finds the set's pieces. */
void changes_init(struct changes *c, struct trial_set *set);

/* How many changes of this kind there are. */
uint64_t changes_count(const struct changes *c, enum change_kind kind);

/* Makes one, judges it, and puts the set back as it was. */
enum trial_verdict changes_try(struct changes *c, enum change_kind kind, uint64_t number,
			       char why[TRIAL_TEXT]);

#endif
