// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Resolver: says what a set has at an offset of the source.
 *
 * A set is a map of extents.  The answer takes second places, layers, records that were captured again, and
 * damage into account; where the bytes are stored, it says which record has them.
 *
 * At first, only the heads of the records of a cell are read, so a body may turn out to be damaged when
 * it is read.  Whoever finds that calls set_lose() and asks again: the answer is then another record, or
 * that the bytes are missing.
 */
#ifndef NSPLIT_SET_READ_RESOLVE_H
#define NSPLIT_SET_READ_RESOLVE_H

#include "set/read/cell.h"

/* What is known of one cell. */
struct known_cell {
	struct set_cell cell;
	uint64_t number;		/* UINT64_MAX: nothing */
	uint64_t lost;			/* set_count_lost() then */
	struct error damage;		/* the first that was found; STATUS_OK: none */
	bool unsure;			/* a head could not be read, perhaps only now */
};

/* Belongs to one thread. */
struct resolver {
	const struct set *set;		/* borrowed */
	/*
	 * Index entries are believed where they describe their records, so that less is read: for those who
	 * read no stored bytes.  Otherwise only if they say that all is stored.
	 */
	bool by_entries;
	/*
	 * Called for each record whose head cannot be used, each time that its cell is read.  first: the cell
	 * was asked for as that of a first place.  NULL: not called.
	 */
	void (*damaged)(void *arg, size_t location, bool first, const struct error *e);
	void *arg;
	size_t avoid;			/* a record that cannot be read now, as if it were lost; SIZE_MAX: none */
	struct known_cell direct, first;	/* of what was asked for, and of the first places of it */
};

/* Call resolver_free() in any case. */
enum status resolver_init(struct resolver *r, const struct set *set, struct error *e);
void resolver_free(struct resolver *r);

/* The next answer does not depend on the last one, but on what all threads remember (set/read/collected.h). */
void resolver_forget(struct resolver *r);
/* The same for cells of which a head could not be read: perhaps it can be now. */
void resolver_forget_unsure(struct resolver *r);

/*
 * Sets the extent that begins at offset, which is within the source, and ends after length bytes at most.
 * The only failure is STATUS_NO_MEMORY.
 */
enum status resolve(struct resolver *r, uint64_t offset, uint64_t length, struct extent *x,
		    struct error *e);

/* Why what resolve() set last is missing: damage to its cell; NULL: none was found. */
const struct error *resolver_damage(const struct resolver *r, const struct extent *x);

#endif
