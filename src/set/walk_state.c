// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <unistd.h>

#include "set/walk_state.h"

bool walk_wants(const struct walk *w, uint64_t offset, uint64_t length)
{
	return offset < w->settings.to && offset + length > w->settings.from;
}

void walk_cancel(struct walk *w)
{
	uint64_t one = 1;

	w->stopping = true;
	pthread_cond_broadcast(&w->stream_free);
	pthread_cond_broadcast(&w->slot_free);
	/* The write fails only if the eventfd is already readable. */
	if (w->wake_fd >= 0 && write(w->wake_fd, &one, sizeof(one)) < 0)
		return;
}

void walk_end(struct walk *w, enum status status, const struct error *e)
{
	pthread_mutex_lock(&w->lock);
	if (!w->status) {
		w->status = status;
		w->error = *e;
	}
	walk_cancel(w);
	pthread_mutex_unlock(&w->lock);
}

void walk_report_damage(struct walk *w, const struct error *e)
{
	w->settings.damaged(w->settings.arg, e);
}
