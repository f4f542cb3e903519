// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>

#include "export/missing.h"

static enum status add(struct range_list *list, uint64_t offset, uint64_t length, struct error *e)
{
	return range_list_extend(list, offset, length)
	       ? STATUS_OK : error_system(e, ENOMEM, "list of missing ranges");
}

void missing_reported_init(struct missing_reported *m)
{
	*m = (struct missing_reported){ .status = STATUS_OK };
	pthread_mutex_init(&m->lock, NULL);
}

void missing_reported_free(struct missing_reported *m)
{
	pthread_mutex_destroy(&m->lock);
	range_list_free(&m->list);
}

void missing_report(struct missing_reported *m, uint64_t offset, uint64_t length)
{
	pthread_mutex_lock(&m->lock);
	if (!m->status)
		m->status = add(&m->list, offset, length, &m->error);
	pthread_mutex_unlock(&m->lock);
}

enum status missing_reported_end(struct missing_reported *m, const struct walk *walk,
				 struct error *e)
{
	uint64_t offset = 0, length;
	enum status status = m->status;

	if (status)
		*e = m->error;
	for (; !status && walk_hole(walk, &offset, &length); offset += length)
		status = add(&m->list, offset, length, e);
	range_list_sort(&m->list);
	range_list_merge(&m->list);
	return status;
}
