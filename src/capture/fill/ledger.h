// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ledger: which output holds which part of the source.
 *
 * The memory of a crashed kernel does not change, so what an output held that failed can be captured
 * again to another one.  For this the ledger needs to know only which output held each part, and
 * whether it was written after the output's last footer: nine bits a part, of a stream one byte.
 * All functions are called with the engine's lock held.
 *
 * A part is a *unit*, which has the size of a chunk.  With layers, the source is passed over several
 * times, and a record holds several units of one cell (doc/capture.md, "Layers");
 * without, there is one pass, and each unit has a record and a cell of its own.  The ledger has an
 * item for each unit and pass: number pass * units + unit, so that what belongs to earlier passes is
 * claimed first.  Units in which a later layer stores nothing are *empty* in its pass, and nobody
 * claims them.
 */
#ifndef NSPLIT_CAPTURE_FILL_LEDGER_H
#define NSPLIT_CAPTURE_FILL_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	LEDGER_PASSES = 15,
	/* Units of a cell, which no record extends beyond, at most: as many as struct unit_run has bits. */
	LEDGER_CELL = 16,
};

/* Consecutive units of one pass and cell; those without a bit are not of the run. */
struct unit_run {
	uint64_t first;			/* number in the ledger */
	uint16_t units;			/* bit i: unit first + i; bit 0 is set */
};

/* How many units the run spans. */
unsigned unit_run_length(const struct unit_run *run);
/* The run up to its first n units, and the rest of it, whose units are 0 if there is none. */
struct unit_run unit_run_head(const struct unit_run *run, unsigned n);
struct unit_run unit_run_rest(const struct unit_run *run, unsigned n);
/* A run of one unit. */
struct unit_run unit_run_of(uint64_t unit);

struct ledger {
	uint8_t *holder;		/* a byte for each item: see LEDGER_NONE */
	uint8_t *late;			/* a bit for each item: see ledger_assign(); NULL: a stream */
	size_t mapped;			/* bytes of the mapping */
	uint64_t units;			/* of the source; of a stream, seen so far */
	unsigned cell;			/* units */
	bool ended;			/* a stream has ended */
	uint64_t next;			/* the first item never claimed */
	uint64_t end;			/* items from here on must not be claimed yet; of a stream unused */
	uint64_t barrier;		/* end goes back to this one when an item before it is lost; UINT64_MAX: never */
	uint64_t unassigned;		/* items before next that may be claimed again */
	uint64_t search;		/* if there are any: the first of them */
	uint64_t in_flight;		/* items claimed and not yet assigned or dropped */
	uint64_t left[LEDGER_PASSES];	/* by pass: units that are not empty, and not assigned */
};

/* holder[] is one of these, or the number of the output + 1: 254 outputs at most. */
enum { LEDGER_NONE = 0, LEDGER_IN_FLIGHT = 255 };

/* units is UINT64_MAX for a stream, whose length is not known.  The first pass may be claimed. */
enum status ledger_init(struct ledger *l, uint64_t units, unsigned cell, unsigned passes,
			struct error *e);
void ledger_free(struct ledger *l);

/* Bytes of memory for this number of items; UINT64_MAX: a stream. */
size_t ledger_memory(uint64_t items);

/* The first passes may be claimed. */
void ledger_open(struct ledger *l, unsigned passes);

/* All units of the first pass are empty until ledger_set_empty() says otherwise, and the second may be claimed, too. */
void ledger_begin_second(struct ledger *l);

/* Is there a unit to claim now? */
bool ledger_has_work(const struct ledger *l);
/* Claims a unit, and those that follow it in the cell; ledger_has_work() was true. */
struct unit_run ledger_claim(struct ledger *l);
/* For streams: a worker starts to fetch the next unit; it has fetched one; it found none. */
void ledger_fetch(struct ledger *l);
/*
 * False: there is no memory to record the unit, so it must be dropped.  Every 256 Ki units this asks
 * the kernel for more memory, which takes some microseconds and moves no data.
 */
bool ledger_fetched(struct ledger *l, uint64_t unit);
void ledger_fetch_ended(struct ledger *l);

/*
 * Claimed units were written to an output.  If late, they are behind its last footer, until the next
 * ledger_seal(); of a stream this is not recorded.
 */
void ledger_assign(struct ledger *l, const struct unit_run *run, unsigned output, bool late);
/* Claimed units were not written, or not needed, and become unassigned. */
void ledger_drop(struct ledger *l, const struct unit_run *run);
/* An output has given up a unit that it held, which is claimed again, to be read back. */
void ledger_reclaim(struct ledger *l, uint64_t unit);
/* An output has given up units, which become unassigned: any worker may capture them again. */
void ledger_unassign(struct ledger *l, const struct unit_run *run);
/* A footer of the output is safe, and all that it holds is before it. */
void ledger_seal(struct ledger *l, unsigned output);
/* What an output holds behind its last footer becomes unassigned. */
void ledger_unassign_late(struct ledger *l, unsigned output);
/* All that an output held becomes unassigned. */
void ledger_unassign_all(struct ledger *l, unsigned output);

/* Whether a layer stores anything of count units; it may change if they are captured again. */
void ledger_set_empty(struct ledger *l, unsigned pass, uint64_t unit, uint64_t count, bool empty);
/* The number of leading passes that are completely stored. */
unsigned ledger_passes_held(const struct ledger *l);

/*
 * Finds the next range [*first, *end) of known units, at or after *first, that no output holds in
 * one of the first passes.  False: there is none.
 */
bool ledger_missing(const struct ledger *l, unsigned passes, uint64_t *first, uint64_t *end);

/* Is the item, which an output holds, behind its last footer? */
bool ledger_is_late(const struct ledger *l, uint64_t i);
/* As engine_check(): compares what the ledger keeps of all items with the sums that it keeps. */
const char *ledger_check(const struct ledger *l);

#endif
