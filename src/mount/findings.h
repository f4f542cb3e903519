// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The state of each record of a set: whether it is lost, when to try again, and what was reported.
 */
#ifndef NSPLIT_MOUNT_FINDINGS_H
#define NSPLIT_MOUNT_FINDINGS_H

#include <pthread.h>

#include "mount/loaded.h"

/* The last report about a record.  Damage is reported even after a system error was. */
enum reported { REPORTED_NOTHING, REPORTED_ERROR, REPORTED_DAMAGE };

struct findings {
	const struct set *set;		/* borrowed */
	void (*damaged)(void *arg, const struct error *e);	/* called under reporting */
	void *arg;
	pthread_mutex_t reporting;	/* never taken under the lock of the cache */
	struct finding *list;		/* by index in the map; owned */
};

/* False: memory is short.  Call findings_free() in any case. */
bool findings_init(struct findings *f, const struct set *set,
		   void (*damaged)(void *arg, const struct error *e), void *arg);
void findings_free(struct findings *f);

/* --- under the lock of the cache ------------------------------------------------- */

/* STATUS_OK: try to load the record.  STATUS_DAMAGED: it is lost.  STATUS_SYSTEM: not yet. */
enum status findings_verdict(const struct findings *f, size_t location);

/* Notes how loading a record ended.  began is the clock_seconds() before it. */
void findings_note(struct findings *f, size_t location, enum status status, double began);

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
