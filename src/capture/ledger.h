// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ledger: which output holds which chunk.
 *
 * The memory of a crashed kernel does not change, so the chunks of an output that failed can be
 * captured again to another one.  For this the ledger needs to know only which output held each
 * chunk, and whether it was written after the output's last footer: nine bits a chunk, of a stream
 * one byte.  All functions are called with the engine's lock held.
 *
 * With layers, the source is passed over several times, and a record holds several *units*, each of
 * the size of a chunk (doc/architecture.md, "Layers of a capture").  The ledger then has an item for
 * each unit and pass: number pass * units + unit, so that what belongs to earlier passes is claimed
 * first.  Units in which a later layer stores nothing are *empty* in its pass, and nobody claims
 * them.
 */
#ifndef NSPLIT_CAPTURE_LEDGER_H
#define NSPLIT_CAPTURE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { LEDGER_PASSES = 15 };

struct ledger {
	uint8_t *holder;		/* a byte for each chunk: see LEDGER_NONE */
	uint8_t *late;			/* a bit for each chunk, if not a stream: see ledger_assign_late() */
	size_t mapped;			/* bytes of the mapping */
	uint64_t chunks;		/* of the source; of a stream, seen so far */
	bool ended;			/* chunks is final */
	bool again_possible;		/* the source can be read again */
	uint64_t next;			/* the first chunk never claimed */
	uint64_t unassigned;		/* chunks before next that no output holds */
	uint64_t search;		/* no chunk before this one is unassigned */
	uint64_t in_flight;		/* chunks claimed and not yet assigned or dropped */
	uint64_t end;			/* chunks from here on must not be claimed yet; of a stream unused */
	/* With layers; otherwise 0: */
	uint64_t units;			/* of the source */
	unsigned cell;			/* units */
	uint64_t left[LEDGER_PASSES];	/* by pass: units that are not empty, and not assigned */
};

/* chunks is UINT64_MAX for a stream, whose length is not known. */
enum status ledger_init(struct ledger *l, uint64_t chunks, struct error *e);
void ledger_free(struct ledger *l);

/* Bytes of memory for a source of this number of chunks. */
size_t ledger_memory(uint64_t chunks);

/* Is there a chunk to claim now? */
bool ledger_has_work(const struct ledger *l);
/* Claims a chunk; ledger_has_work() was true. */
uint64_t ledger_claim(struct ledger *l);
/* For streams: a worker starts to fetch the next chunk; it has fetched one; it found none. */
void ledger_fetch(struct ledger *l);
/*
 * False: there is no memory to record the chunk, so it must be dropped.  Every 256 Ki chunks this
 * asks the kernel for more memory, which takes some microseconds and moves no data.
 */
bool ledger_fetched(struct ledger *l, uint64_t chunk);
void ledger_fetch_ended(struct ledger *l);

/* A claimed chunk was written to an output; or it was not, and becomes unassigned. */
void ledger_assign(struct ledger *l, uint64_t chunk, unsigned output);
void ledger_drop(struct ledger *l, uint64_t chunk);
/* An output has given up a chunk that it held, which is claimed again, to be read back. */
void ledger_reclaim(struct ledger *l, uint64_t chunk);
/* The same, but the chunk becomes unassigned: any worker may capture it again. */
void ledger_unassign(struct ledger *l, uint64_t chunk);
/*
 * A footer of the output is safe, and all chunks that it holds are before it.  Chunks assigned with
 * ledger_assign_late() are behind it, until the next footer.  For a stream this is not recorded.
 */
void ledger_seal(struct ledger *l, unsigned output);
void ledger_assign_late(struct ledger *l, uint64_t chunk, unsigned output);
/* The chunks that an output holds behind its last footer become unassigned. */
void ledger_unassign_late(struct ledger *l, unsigned output);
/* All chunks that an output held become unassigned. */
void ledger_unassign_all(struct ledger *l, unsigned output);

/*
 * Finds the next range [*first, *end) of known chunks, at or after *first, that no output holds.
 * False: there is none.
 */
bool ledger_missing(const struct ledger *l, uint64_t *first, uint64_t *end);

/* --- with layers (ledger_layers.c) --------------------------------------- */

/* Units of a cell, which no record extends beyond, at most: as many as struct unit_run has bits. */
enum { LEDGER_CELL = 16 };

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

enum status ledger_init_layers(struct ledger *l, uint64_t units, unsigned cell, unsigned passes,
			       struct error *e);
size_t ledger_memory_layers(uint64_t units, unsigned passes);

/* The first passes may be claimed; none before the first call. */
void ledger_open(struct ledger *l, unsigned passes);
/* Claims what ledger_claim() would, and what follows it in the cell. */
struct unit_run ledger_claim_run(struct ledger *l);
/* The same for each unit of a run.  ledger_drop_run() is for units that are not needed. */
void ledger_assign_run(struct ledger *l, const struct unit_run *run, unsigned output, bool late);
void ledger_drop_run(struct ledger *l, const struct unit_run *run);
void ledger_unassign_run(struct ledger *l, const struct unit_run *run);
/* Whether a layer stores anything of a unit; it may change if the unit is captured again. */
void ledger_set_empty(struct ledger *l, unsigned pass, uint64_t unit, bool empty);
/* The number of leading passes that are completely stored. */
unsigned ledger_passes_held(const struct ledger *l);
/* The same as ledger_missing(), for units of the first passes. */
bool ledger_missing_units(const struct ledger *l, unsigned passes, uint64_t *first, uint64_t *end);

/* --- for ledger*.c ---------------------------------------------------------- */

/* holder[] is one of these, or the number of the output + 1: 254 outputs at most. */
enum { LEDGER_NONE = 0, LEDGER_IN_FLIGHT = 255 };

static inline bool ledger_is_late(const struct ledger *l, uint64_t chunk)
{
	return l->late[chunk / 8] >> chunk % 8 & 1;
}

static inline void ledger_set_late(struct ledger *l, uint64_t chunk, bool late)
{
	uint8_t bit = (uint8_t)(1 << chunk % 8);

	l->late[chunk / 8] = (uint8_t)(late ? l->late[chunk / 8] | bit : l->late[chunk / 8] & ~bit);
}

#endif
