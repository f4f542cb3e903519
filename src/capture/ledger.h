// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ledger: which sink holds which chunk.
 *
 * A dead machine's memory does not change, so a chunk that a failed sink took
 * with it is captured again onto another; all that must be remembered is who
 * had it, one byte a chunk.  Plain bookkeeping: the engine holds the lock.
 */
#ifndef NSPLIT_CAPTURE_LEDGER_H
#define NSPLIT_CAPTURE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct ledger {
	uint8_t *holder;		/* a byte a chunk: see ledger.c */
	uint8_t *late;			/* a bit a chunk, behind these; NULL for a stream */
	size_t mapped;			/* bytes of holder */
	uint64_t chunks;		/* of the source; of a stream, seen so far */
	bool ended;			/* chunks is final */
	bool again_possible;		/* the source can be read again */
	uint64_t next;			/* the first chunk never claimed */
	uint64_t unassigned;		/* chunks before next that nobody holds */
	uint64_t search;		/* no unassigned chunk lies before this one */
	uint64_t in_flight;		/* chunks claimed and not yet placed or dropped */
};

/* chunks is UINT64_MAX for a stream, whose number is not known. */
enum status ledger_init(struct ledger *l, uint64_t chunks, struct error *e);
void ledger_free(struct ledger *l);

/* Memory for a source of so many chunks. */
size_t ledger_memory(uint64_t chunks);

/* Is there a chunk to claim, now? */
bool ledger_has_work(const struct ledger *l);
/* Claims a chunk; ledger_has_work() was true. */
uint64_t ledger_claim(struct ledger *l);
/* Streams: a worker goes to fetch the next chunk, comes back with one, or with none. */
void ledger_fetch(struct ledger *l);
/*
 * False if there is no memory to remember it, and so it must be dropped.  Each 256 Ki chunks this
 * asks the kernel for a piece of memory, which takes some microseconds and moves no data.
 */
bool ledger_fetched(struct ledger *l, uint64_t chunk);
void ledger_fetch_ended(struct ledger *l);

/* A claimed chunk is written to a sink; or it is not, and is unassigned. */
void ledger_assign(struct ledger *l, uint64_t chunk, unsigned sink);
void ledger_drop(struct ledger *l, uint64_t chunk);
/* A chunk that a sink held and has given up: claimed, as its bytes are at hand; or unassigned. */
void ledger_lift(struct ledger *l, uint64_t chunk);
void ledger_return(struct ledger *l, uint64_t chunk);
/*
 * A footer of the sink is safe: all that it holds lies before it.  What is placed with
 * ledger_assign_late() lies behind it, until the next footer; of a stream that is not known.
 */
void ledger_close(struct ledger *l, unsigned sink);
void ledger_assign_late(struct ledger *l, uint64_t chunk, unsigned sink);
/* All that a sink holds behind its last footer is unassigned. */
void ledger_retire_late(struct ledger *l, unsigned sink);
/* All that a sink held is unassigned. */
void ledger_retire(struct ledger *l, unsigned sink);

/*
 * The next run of chunks at or after *first that nobody holds, of those that are
 * known: false if there is none, else [*first, *end).
 */
bool ledger_missing(const struct ledger *l, uint64_t *first, uint64_t *end);

#endif
