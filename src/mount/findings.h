// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The state of each record of a set: which copy to use, whether it is lost, when to try
 * again, and what was reported.
 */
#ifndef NSPLIT_MOUNT_FINDINGS_H
#define NSPLIT_MOUNT_FINDINGS_H

#include <pthread.h>
#include <stdatomic.h>

#include "mount/loaded.h"

/* The last report about a record.  Damage is reported even after a system error was. */
enum reported { REPORTED_NOTHING, REPORTED_ERROR, REPORTED_DAMAGE };

struct findings {
	const struct set *set;		/* borrowed */
	void (*damaged)(void *arg, const struct error *e);	/* called under reporting */
	void *arg;
	pthread_mutex_t reporting;	/* never taken under the lock of the cache */
	struct finding *list;		/* by index in the map; owned */
	atomic_ullong lost;		/* records */
};

/* False: memory is short.  Call findings_free() in any case. */
bool findings_init(struct findings *f, const struct set *set,
		   void (*damaged)(void *arg, const struct error *e), void *arg);
void findings_free(struct findings *f);

/* --- under the lock of the cache ------------------------------------------------- */

/* STATUS_OK: try to load the record.  STATUS_DAMAGED: it is lost.  STATUS_SYSTEM: not yet. */
enum status findings_verdict(const struct findings *f, size_t location);

/* The copy of the record to start with. */
uint8_t findings_copy(const struct findings *f, size_t location);

/* Notes how loading a record ended: see loaded_load().  began is the clock_seconds() before it. */
void findings_note(struct findings *f, size_t location, enum status status, uint8_t copy,
		   bool skipped, double began);

/* Notes that a copy cannot be used, although its checksum is correct. */
void findings_reject(struct findings *f, size_t location, uint8_t copy);

/* Notes that no copy can be used. */
void findings_lose(struct findings *f, size_t location);

/* --- without that lock ------------------------------------------------------------ */

/* Reports an error of a record, unless that was done before. */
void findings_report(struct findings *f, size_t location, enum reported what,
		     const struct error *e);

/*
 * The error for a reader whose record could not be loaded, now or earlier; the reason was reported.
 * Returns STATUS_NO_MEMORY, STATUS_SYSTEM if it will be tried again, or STATUS_DAMAGED.
 */
enum status findings_error(const struct findings *f, size_t location, enum status status,
			   struct error *e);

#endif
