// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "mount/findings.h"

/*
 * After a temporary error, the record is not tried again for PAUSE times as long as the attempt
 * took: a bad sector may occupy a device for half a minute, and the kernel asks for each page of a
 * record.
 */
enum { PAUSE = 10 };

struct finding {
	/* Under the lock of the cache: */
	bool lost;
	double retry;			/* clock_seconds() before which it is not tried; or 0 */
	/* Under reporting: */
	uint8_t reported;		/* an enum reported */
};

bool findings_init(struct findings *f, const struct set *set,
		   void (*damaged)(void *arg, const struct error *e), void *arg)
{
	*f = (struct findings){ .set = set, .damaged = damaged, .arg = arg };
	pthread_mutex_init(&f->reporting, NULL);
	f->list = calloc(set->locations + 1, sizeof(*f->list));
	return f->list;
}

void findings_free(struct findings *f)
{
	free(f->list);
	pthread_mutex_destroy(&f->reporting);
}

enum status findings_verdict(const struct findings *f, size_t location)
{
	const struct finding *finding = &f->list[location];

	if (finding->lost)
		return STATUS_DAMAGED;
	return finding->retry > 0 && clock_seconds() < finding->retry ? STATUS_SYSTEM : STATUS_OK;
}

void findings_note(struct findings *f, size_t location, enum status status, double began)
{
	struct finding *finding = &f->list[location];
	double now = clock_seconds();

	if (loaded_may_recover(status))
		finding->retry = now + PAUSE * (now - began);
	else if (status && status != STATUS_NO_MEMORY)
		finding->lost = true;
}

void findings_report(struct findings *f, size_t location, enum reported what,
		     const struct error *e)
{
	struct finding *finding = &f->list[location];

	pthread_mutex_lock(&f->reporting);
	if (finding->reported < what) {
		finding->reported = (uint8_t)what;
		f->damaged(f->arg, e);
	}
	pthread_mutex_unlock(&f->reporting);
}

enum status findings_error(const struct findings *f, size_t location, enum status status,
			   struct error *e)
{
	const struct index_entry *entry = &f->set->map[location]->entry;
	uint64_t first = entry->source_offset, last = first + entry->source_length - 1;

	if (status == STATUS_NO_MEMORY)
		return error_system(e, ENOMEM, "record buffer");
	if (loaded_may_recover(status))
		return error_set(e, STATUS_SYSTEM, "the record of bytes %" PRIu64 " to %" PRIu64
				 " of the source cannot be read now", first, last);
	return error_set(e, STATUS_DAMAGED, "the record of bytes %" PRIu64 " to %" PRIu64
			 " of the source is lost", first, last);
}
